package io.quorate.membership;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.quorate.consensus.AcceptorState;
import io.quorate.consensus.Answer;
import io.quorate.consensus.Ballot;
import io.quorate.consensus.ConflictingDecreeException;
import io.quorate.consensus.Decision;
import io.quorate.consensus.Decisions;
import io.quorate.consensus.Decree;
import io.quorate.consensus.Ledger;
import io.quorate.consensus.Participant;
import io.quorate.consensus.Proposer;
import io.quorate.consensus.Request;
import io.quorate.consensus.Voter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part of this node in the decisions about the layout of the cluster: it votes,
 * proposes what {@link LayoutMachine} would have next, learns what is decided, and has
 * {@link Layouts} adopt it.
 * <p>
 * No member is elected to propose. Each evaluates the machine every second; of those that
 * can vote, the one with the smallest id proposes at once, the others later by their
 * rank. Two that propose at once do no harm: a version gets one content.
 * <p>
 * Used by one thread at a time, which waits for the disk; {@link #adopted},
 * {@link #settled()} and {@link #status} by any thread. Invariants:
 * <ol>
 * <li>A vote is durable before it is answered, and before this node knows of it.</li>
 * <li>A layout is durable in the ledger before it is adopted.</li>
 * <li>This node votes for no layout that {@link LayoutMachine#mayFollow} refuses, and for
 * none under which it could not serve.</li>
 * </ol>
 */
public final class LayoutAgreement {

	/** Time after which an answer of a member is not awaited any more. */
	static final Duration ANSWER = Duration.ofSeconds(1);

	/** Time by which a member proposes later than the one before it. */
	static final Duration RANK_DELAY = Duration.ofSeconds(2);

	/** Time between two comparisons with members that have adopted other layouts. */
	static final Duration COMPARE_PAUSE = Duration.ofMillis(100);

	private static final Logger log = LoggerFactory.getLogger(LayoutAgreement.class);

	/* The pause after attempts in vain is 64 s at the most, but for the rank. */
	private static final int MOST_DOUBLINGS = 6;

	/* Of several decisions in one message. */
	private static final int MOST_BYTES = 256 * 1024;

	private final Layouts layouts;

	private final Participant participant;

	private final Supplier<LayoutFacts> facts;

	private final LongSupplier nanos;

	private @Nullable LayoutAttempt attempt;

	/* Of the attempt that was interrupted last. */
	private Ballot above = Ballot.NONE;

	private int failures;

	/* Instant before which nothing is proposed; none while nothing is wished. */
	private @Nullable Long notBefore;

	/* Instant after which decisions are asked for again. */
	private @Nullable Long askedUntil;

	/* Instant after which the last decision is sent to a member again. */
	private @Nullable Long comparedUntil;

	private volatile Adopted adopted;

	private volatile LayoutVersion settled;

	private final LayoutTrouble trouble;

	/* Why the last attempt was in vain, in words. */
	private volatile @Nullable String failure;

	/**
	 * The agreement of a node with the state that its ledger has recovered.
	 * @param storageId identity of the data in its directory
	 * @throws FormerMemberException when the last layout in the ledger does not name this
	 * node
	 * @throws LayoutException when it has other members than the configuration
	 */
	public LayoutAgreement(Layouts layouts, UUID storageId, Ledger ledger, MemberReports reports) {
		this(layouts, new Participant(new Voter(layouts.self(), storageId),
				(decree) -> LayoutCodec.read(decree).electorate(), ledger), reports::facts, System::nanoTime);
	}

	LayoutAgreement(Layouts layouts, Participant participant, Supplier<LayoutFacts> facts, LongSupplier nanos) {
		this.layouts = layouts;
		this.participant = participant;
		this.facts = facts;
		this.nanos = nanos;
		this.trouble = new LayoutTrouble(nanos);
		this.adopted = adopt(participant.decisions().latest());
		this.settled = this.adopted.layout();
	}

	private Adopted adopt(Decision decision) {
		Adopted its = new Adopted(LayoutVersion.of(decision), served(decision));
		this.layouts.adopt(this.layouts.current().at(decision.version()));
		return its;
	}

	/** The state of the ledger of a node that knows nothing but its configuration. */
	public static AcceptorState first(Layouts layouts) {
		return AcceptorState
			.of(new Decision(Layout.FIRST, LayoutCodec.write(LayoutRecord.first(layouts.configured().ring()))));
	}

	private LayoutRecord served(Decision latest) {
		LayoutRecord record = record(latest);
		if (record.member(self()) == null) {
			throw new FormerMemberException(self(), latest.version());
		}
		if (!isServed(record)) {
			throw new LayoutException(
					("version %d of the layout (file LAYOUT) has the members %s, the configuration %s: set"
							+ " quorate.cluster.members and quorate.cluster.replication-factor to what they were")
						.formatted(latest.version(), record.stable(), configured().stable()),
					null);
		}
		return record;
	}

	private static LayoutRecord record(Decision decision) {
		try {
			return LayoutCodec.read(decision.decree());
		}
		catch (IllegalArgumentException unknown) {
			throw new NewerLayoutException(decision.version(), unknown);
		}
	}

	private LayoutRecord configured() {
		return LayoutRecord.first(this.layouts.configured().ring());
	}

	/* Requests of this program are planned under one ring. */
	private boolean isServed(LayoutRecord record) {
		return LayoutMachine.isSameAssignment(configured(), record);
	}

	private String self() {
		return this.layouts.self();
	}

	/** The layout that this node has adopted last. */
	public LayoutVersion adopted() {
		return this.adopted.layout();
	}

	/**
	 * The layout that this node has adopted last of those for which it has finished what
	 * it let in under earlier ones: what it reports to the other members.
	 */
	public LayoutVersion settled() {
		return this.settled;
	}

	/**
	 * All writes that this node let in before it adopted a version are on its disk, or
	 * have failed.
	 * @param version version that it has adopted last when it knew that
	 */
	public void settled(long version) {
		LayoutVersion current = adopted();
		if (current.version() == version) {
			this.settled = current;
		}
	}

	/**
	 * Answers a peer.
	 * @return the answer; empty when this node does not vote, or not for this layout
	 * @throws IOException when the state that the answer needs is not durable
	 * @throws ConflictingDecreeException when the peer knows a version with another
	 * content
	 */
	public Optional<Answer> answer(Request request) throws IOException {
		try {
			return vote(request);
		}
		catch (IOException | ConflictingDecreeException failed) {
			this.trouble.met(failed);
			throw failed;
		}
	}

	private Optional<Answer> vote(Request request) throws IOException {
		boolean mayAnswer = switch (request) {
			case Request.Prepare _ -> isVoting();
			case Request.Accept accept -> isVoting() && mayVoteFor(accept.base(), accept.decree());
			case Request.Learn _, Request.Get _ -> true;
		};
		if (!mayAnswer) {
			return Optional.empty();
		}
		Answer answer = this.participant.answer(request);
		adoptLatest();
		return Optional
			.of((answer instanceof Answer.Later(Decisions decisions)) ? new Answer.Later(bounded(decisions)) : answer);
	}

	/* The newest ones: a learner needs none of those before. */
	private static Decisions bounded(Decisions decisions) {
		List<Decision> kept = decisions.kept();
		int from = kept.size() - 1;
		int bytes = kept.getLast().decree().size();
		while (from > 0 && bytes + kept.get(from - 1).decree().size() <= MOST_BYTES) {
			from--;
			bytes += kept.get(from).decree().size();
		}
		return new Decisions(kept.subList(from, kept.size()));
	}

	private boolean isVoting() {
		return this.facts.get().ready().containsKey(self());
	}

	private boolean mayVoteFor(Decision base, Decree decree) {
		try {
			LayoutRecord after = LayoutCodec.read(decree);
			if (isServed(after) && LayoutMachine.mayFollow(LayoutCodec.read(base.decree()), base.version(), after)) {
				return true;
			}
			log.warn("A layout is proposed for version {} that may not follow, or that this program cannot serve: {}",
					base.next(), after.stable());
		}
		catch (IllegalArgumentException unknown) {
			log.warn("A layout is proposed for version {} that this program cannot read: {}", base.next(),
					unknown.getMessage());
		}
		return false;
	}

	/** Has this node adopt the latest decision that it knows. */
	private void adoptLatest() {
		Decision latest = this.participant.decisions().latest();
		if (latest.version() <= adopted().version()) {
			return;
		}
		this.attempt = null;
		this.failures = 0;
		this.failure = null;
		this.notBefore = null;
		try {
			this.adopted = adopt(latest);
			this.trouble.end();
			log.info("The layout of the cluster: {} is decided and adopted, {}", adopted(),
					this.adopted.record().stable());
		}
		catch (LayoutException unserved) {
			this.trouble.lasts(String.valueOf(unserved.getMessage()));
		}
	}

	/**
	 * Asks a member that knows later decisions for them, one that is up if there is any,
	 * unless one has been asked just now. The last decision known here is asked for, too:
	 * another content of it is found so.
	 */
	public void catchUp(LayoutPeers peers) {
		long known = this.participant.decisions().latest().version();
		if (this.askedUntil != null && this.nanos.getAsLong() - this.askedUntil < 0) {
			return;
		}
		LayoutFacts now = this.facts.get();
		now.adopted()
			.entrySet()
			.stream()
			.filter((report) -> report.getValue().version() > known)
			.max(Comparator
				.comparing((Map.Entry<String, LayoutVersion> report) -> now.ready().containsKey(report.getKey()))
				.thenComparingLong((report) -> report.getValue().version())
				.thenComparing(Map.Entry::getKey))
			.ifPresent((report) -> {
				this.askedUntil = this.nanos.getAsLong() + ANSWER.toNanos();
				peers.ask(report.getKey(), new Request.Get(known - 1), ANSWER, this::caughtUp);
			});
	}

	/**
	 * Sends a member the last decision known here, unless one was sent just now: the
	 * member learns it, or answers with later ones.
	 */
	public void compareWith(String member, LayoutPeers peers) {
		if (this.comparedUntil == null || this.nanos.getAsLong() - this.comparedUntil >= 0) {
			this.comparedUntil = this.nanos.getAsLong() + COMPARE_PAUSE.toNanos();
			peers.ask(member, new Request.Learn(this.participant.decisions().latest()), ANSWER, this::caughtUp);
		}
	}

	private void caughtUp(LayoutPeers.Outcome outcome) {
		this.askedUntil = null;
		if (outcome instanceof LayoutPeers.Outcome.Answered(Answer.Later(Decisions decisions))) {
			guarded(() -> learn(decisions));
		}
	}

	private void learn(Decisions decisions) throws IOException {
		for (Decision decision : decisions.kept()) {
			vote(new Request.Learn(decision));
		}
	}

	/**
	 * Evaluates the machine, and proposes what comes next if it is this node's turn. To
	 * be called each second.
	 */
	public void tick(LayoutPeers peers) {
		this.trouble.forgetAnOldOne();
		catchUp(peers);
		LayoutFacts now = facts();
		long instant = this.nanos.getAsLong();
		LayoutAttempt open = this.attempt;
		if (open != null && instant - open.untilNanos() >= 0) {
			failed(open, open.missed());
		}
		if (!isVoting() || this.attempt != null) {
			return;
		}
		Decision latest = this.participant.decisions().latest();
		Optional<LayoutRecord> next = next(latest, now);
		if (next.isEmpty()) {
			this.notBefore = null;
			this.failures = 0;
			this.failure = null;
			return;
		}
		if (this.notBefore == null) {
			this.notBefore = instant + RANK_DELAY.multipliedBy(now.rankOf(self())).toNanos();
		}
		if (instant - this.notBefore >= 0) {
			guarded(() -> propose(latest, next.get(), peers));
		}
	}

	private LayoutFacts facts() {
		return this.facts.get().with(self(), settled());
	}

	private Optional<LayoutRecord> next(Decision latest, LayoutFacts now) {
		if (latest.version() != adopted().version()) {
			return Optional.empty();
		}
		try {
			return LayoutMachine.next(this.adopted.record(), now);
		}
		catch (ChangeRefusedException impossible) {
			this.trouble.met(String.valueOf(impossible.getMessage()));
			return Optional.empty();
		}
	}

	private void propose(Decision latest, LayoutRecord wish, LayoutPeers peers) throws IOException {
		List<String> voters = this.adopted.record().stable().ids();
		Proposer proposer = this.participant.propose(LayoutCodec.write(wish), this.above);
		LayoutAttempt begun = new LayoutAttempt(proposer, voters, new TreeMap<>(), peers,
				this.nanos.getAsLong() + LayoutAttempt.LIMIT.toNanos());
		this.attempt = begun;
		if (this.failures == 0) {
			log.info("The layout of the cluster: version {} is proposed, {}", latest.next(), wish.stable());
		}
		send(begun);
	}

	/* The node itself comes last: its answer may lead to the next message. */
	private void send(LayoutAttempt its) throws IOException {
		Request message = its.proposer().message();
		its.sent();
		for (String member : its.members()) {
			if (!member.equals(self())) {
				its.peers().ask(member, message, ANSWER, (outcome) -> guarded(() -> heard(its, member, outcome)));
			}
		}
		Optional<Answer> own = vote(message);
		heard(its, self(), own.<LayoutPeers.Outcome>map(LayoutPeers.Outcome.Answered::new)
			.orElseGet(() -> new LayoutPeers.Outcome.Refused("this node gives no vote for that")));
	}

	private void heard(LayoutAttempt its, String member, LayoutPeers.Outcome outcome) throws IOException {
		switch (outcome) {
			case LayoutPeers.Outcome.Answered(var answer) -> {
				its.answered(member);
				takeIn(its, answer);
			}
			case LayoutPeers.Outcome.Refused(var why) -> its.refused(member, why);
		}
	}

	private void takeIn(LayoutAttempt its, Answer answer) throws IOException {
		if (!its.equals(this.attempt)) {
			return;
		}
		if (its.proposer().takeIn(answer)) {
			send(its);
		}
		else if (its.proposer().outcome() instanceof Proposer.Outcome.Interrupted(Ballot by)) {
			this.above = by;
			failed(its, "another member proposes, too");
		}
		else if (its.proposer().outcome() instanceof Proposer.Outcome.Overtaken(Decisions decisions)) {
			learn(decisions);
		}
	}

	/** Ends an attempt in vain: the next one comes later each time. */
	private void failed(LayoutAttempt its, String why) {
		if (!its.equals(this.attempt)) {
			return;
		}
		this.attempt = null;
		Duration pause = Duration.ofSeconds(1L << this.failures);
		this.failures = Math.min(this.failures + 1, MOST_DOUBLINGS);
		this.notBefore = this.nanos.getAsLong()
				+ pause.plus(RANK_DELAY.multipliedBy(this.facts.get().rankOf(self()))).toNanos();
		String said = "version %d is not decided: %s".formatted(this.participant.decisions().latest().next(), why);
		if (!said.equals(this.failure)) {
			log.info("The layout of the cluster: {}", said);
		}
		this.failure = said;
	}

	/**
	 * Runs a step of an attempt. A failure is reported in the state and the log: the
	 * ledger fails all later steps too, until the process starts anew.
	 */
	private void guarded(Step step) {
		try {
			step.run();
		}
		catch (IOException | ConflictingDecreeException failed) {
			this.trouble.met(failed);
		}
	}

	/** The state of the layout, as this node sees it. */
	public LayoutStatus status(MemberReports reports) {
		LayoutFacts now = facts();
		Adopted current = this.adopted;
		List<String> blockedBy = new ArrayList<>();
		add(this.trouble.said(), blockedBy);
		add(this.failure, blockedBy);
		if (this.participant.decisions().latest().version() == current.layout().version()) {
			blockedBy.addAll(LayoutMachine.blockedBy(current.record(), now));
		}
		return new LayoutStatus(current.layout(), stateOf(current.record()),
				current.record()
					.members()
					.stream()
					.map((member) -> new LayoutStatus.Member(member.id(), member.member().zone(),
							reports.stateOf(member.id()), now.adoptedBy(member.id())))
					.toList(),
				blockedBy);
	}

	private static void add(@Nullable String reason, List<String> reasons) {
		if (reason != null) {
			reasons.add(reason);
		}
	}

	private static LayoutStatus.State stateOf(LayoutRecord record) {
		if (record.isJoint()) {
			return LayoutStatus.State.JOINT;
		}
		return record.isActive() ? LayoutStatus.State.STABLE : LayoutStatus.State.CONFIGURED;
	}

	/** The layout that this node has adopted. */
	private record Adopted(LayoutVersion layout, LayoutRecord record) {
	}

	/** A step that waits for the disk. */
	private interface Step {

		void run() throws IOException;

	}

}
