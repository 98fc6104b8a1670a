package io.quorate.membership.agreement;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.quorate.consensus.Answer;
import io.quorate.consensus.Decision;
import io.quorate.consensus.Decisions;
import io.quorate.consensus.Participant;
import io.quorate.consensus.Request;
import io.quorate.membership.layout.LayoutFacts;
import io.quorate.membership.layout.LayoutVersion;
import org.jspecify.annotations.Nullable;

/** Asks other members for the decisions that this node lacks. Used by one thread. */
final class LayoutLearner {

	/** Time after which an answer of a member is not awaited any more. */
	static final Duration ANSWER = Duration.ofSeconds(1);

	/** Time between two comparisons with members that have adopted other layouts. */
	static final Duration COMPARE_PAUSE = Duration.ofMillis(100);

	private final Participant participant;

	private final Supplier<LayoutFacts> facts;

	private final LongSupplier nanos;

	private final Learning learning;

	/* Instant after which decisions are asked for again. */
	private @Nullable Long askedUntil;

	/* Instant after which the last decision is sent to a member again. */
	private @Nullable Long comparedUntil;

	/** Takes the decisions that a member has sent. */
	interface Learning {

		void learn(Decisions decisions);

	}

	LayoutLearner(Participant participant, Supplier<LayoutFacts> facts, LongSupplier nanos, Learning learning) {
		this.participant = participant;
		this.facts = facts;
		this.nanos = nanos;
		this.learning = learning;
	}

	/**
	 * The newest decisions that one message takes: a learner needs none of those before.
	 */
	static Decisions bounded(Decisions decisions) {
		List<Decision> kept = decisions.kept();
		int from = kept.size() - 1;
		int bytes = kept.getLast().decree().size();
		while (from > 0 && bytes + kept.get(from - 1).decree().size() <= Decisions.MESSAGE_BYTES) {
			from--;
			bytes += kept.get(from).decree().size();
		}
		return new Decisions(kept.subList(from, kept.size()));
	}

	/**
	 * Asks a member that knows later decisions for them, one that is up if there is any,
	 * unless one has been asked just now. The last decision known here is asked for, too:
	 * another content of it is found so.
	 */
	void catchUp(LayoutPeers peers) {
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
	void compareWith(String member, LayoutPeers peers) {
		if (this.comparedUntil == null || this.nanos.getAsLong() - this.comparedUntil >= 0) {
			this.comparedUntil = this.nanos.getAsLong() + COMPARE_PAUSE.toNanos();
			peers.ask(member, new Request.Learn(this.participant.decisions().latest()), ANSWER, (outcome) -> {
				if (outcome instanceof LayoutPeers.Outcome.Refused) {
					this.comparedUntil = null;
				}
				caughtUp(outcome);
			});
		}
	}

	private void caughtUp(LayoutPeers.Outcome outcome) {
		this.askedUntil = null;
		if (outcome instanceof LayoutPeers.Outcome.Answered(Answer.Later(Decisions decisions))) {
			this.learning.learn(decisions);
		}
	}

}
