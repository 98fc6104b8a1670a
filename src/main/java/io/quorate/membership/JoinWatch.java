package io.quorate.membership;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.quorate.membership.LayoutChange.Kind;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The judgement of this node that the node which joins is away for so long, without a
 * break, that its joining is to be aborted. It is a fact like the others by which
 * {@link LayoutMachine} has the next version proposed, and holds until the node is heard
 * again. The time is that of this process: a restart begins it anew.
 * <p>
 * A break of the network between two members is no reason to take one of them for away.
 * So this node asks the others once the time has passed: one that has heard the node
 * within the time keeps it from the judgement, and so does one that is up and gives no
 * answer. A majority has to have answered, this node among them. Used by the thread of
 * the layout, but for the answers.
 */
public final class JoinWatch {

	/** Time between two questions to the others. */
	static final Duration AGAIN = Duration.ofSeconds(10);

	private static final Logger log = LoggerFactory.getLogger(JoinWatch.class);

	private final Supplier<LayoutRecord> record;

	private final Membership membership;

	private final MemberReports reports;

	private final Silences silences;

	private final Limit limit;

	/* Version of the layout that began the joining which is to be aborted, else 0. */
	private volatile long judged;

	/* Instant at which the others are asked again. */
	private long nextQuestion;

	/**
	 * The time after which a joining is aborted.
	 *
	 * @param nanos the monotonic clock
	 */
	record Limit(Duration away, LongSupplier nanos) {
	}

	/** The watch of a node. */
	public JoinWatch(Layouts layouts, LayoutAgreement agreement, MemberReports reports, Witnesses witnesses,
			MembershipProperties properties) {
		this(agreement::record, reports, new Silences(layouts, witnesses),
				new Limit(properties.giveUpAfter(), System::nanoTime));
	}

	JoinWatch(Supplier<LayoutRecord> record, MemberReports reports, Silences silences, Limit limit) {
		this.record = record;
		this.membership = reports.membership();
		this.reports = reports;
		this.silences = silences;
		this.limit = limit;
		this.nextQuestion = limit.nanos().getAsLong();
	}

	/** Judges by what is known now, and asks the others if it is time. */
	public void look() {
		LayoutChange change = this.record.get().change();
		if (change == null || change.kind() != Kind.ADD || !isAway(change.member())) {
			this.judged = 0;
		}
		else if (this.limit.nanos().getAsLong() - this.nextQuestion >= 0) {
			this.nextQuestion = this.limit.nanos().getAsLong() + AGAIN.toNanos();
			var _ = this.silences.of(change.member()).thenAccept((answers) -> judge(change, answers));
		}
		this.reports.giveUp(this.judged);
	}

	private boolean isAway(String joiner) {
		return this.membership.disconnectedFor(joiner).compareTo(this.limit.away()) >= 0;
	}

	/*
	 * A judgement of before does not last: a member that was silent may have come back.
	 */
	private void judge(LayoutChange change, Map<String, Optional<Duration>> answers) {
		boolean isGone = answers.entrySet()
			.stream()
			.allMatch((answer) -> isNoObjection(answer.getKey(), answer.getValue())) && isMajority(answers);
		if (isGone && this.judged != change.version()) {
			log.warn("The layout of the cluster: the joining of {} is given up, no member has heard it for {} s",
					change.member(), this.limit.away().toSeconds());
		}
		this.judged = isGone ? change.version() : 0;
	}

	/* Otherwise this node may be the one that is cut off. */
	private boolean isMajority(Map<String, Optional<Duration>> answers) {
		LayoutRecord now = this.record.get();
		long agreeing = now.stable()
			.ids()
			.stream()
			.filter((member) -> !answers.containsKey(member) || answers.get(member).isPresent())
			.count();
		return agreeing >= now.electorate().needed();
	}

	private boolean isNoObjection(String witness, Optional<Duration> silence) {
		return silence.map((its) -> its.compareTo(this.limit.away()) >= 0)
			.orElseGet(() -> this.membership.stateOf(witness) == MemberState.DISCONNECTED);
	}

}
