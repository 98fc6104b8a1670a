package io.quorate.repair.antientropy;

import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.quorate.clock.HybridClock;
import io.quorate.repair.comparison.ComparisonFailedException;
import io.quorate.replica.Failure;
import io.quorate.replica.comparison.ComparisonStart;
import io.quorate.replica.comparison.Round;

/**
 * This node's part in agreeing on rounds with its peers. Safe for any number of threads.
 *
 * @param storageId identity of this node's data
 * @param rounds the rounds that are open
 * @param listener hears of each agreement, and may refuse one
 */
record Agreements(UUID storageId, HybridClock clock, Rounds rounds, AgreementListener listener,
		ComparisonMetrics metrics) {

	/** This node's start values of a round. */
	ComparisonStart start(long durableSequence) {
		return new ComparisonStart(this.storageId, durableSequence, this.listener.purgeHorizon());
	}

	/** Begins a round with given start values of this node. */
	Agreement begin(String peer, Round round, Supplier<ComparisonStart> ours, ComparisonStart theirs) {
		Agreement begun = this.rounds.begin(peer, round, ours, theirs);
		if (begun == null) {
			throw new ComparisonFailedException(Rounds.staleRound(round.number()));
		}
		Failure refusal = this.listener.begins(begun);
		if (refusal != null) {
			throw new ComparisonFailedException(refusal);
		}
		return begun;
	}

	/** Completes a round of both whole stores at this node. */
	Agreement complete(String peer, Round round) {
		Agreement agreement = this.rounds.complete(peer, round);
		if (agreement == null) {
			throw new ComparisonFailedException(Rounds.staleRound(round.number()));
		}
		PeerMetrics its = this.metrics.of(peer);
		if (its != null) {
			its.agreed(TimeUnit.MILLISECONDS.toNanos(Math.max(0, this.clock.currentMillis() - round.millis())));
		}
		this.listener.completed(agreement);
		return agreement;
	}

}
