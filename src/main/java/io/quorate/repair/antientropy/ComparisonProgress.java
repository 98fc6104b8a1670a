package io.quorate.repair.antientropy;

import io.quorate.entry.Key;
import io.quorate.repair.comparison.KeyRange;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a comparison led by this node. Counts and times are of the round under
 * way, or of the last one.
 *
 * @param position first key that is not compared yet; {@code null} before the beginning
 * and at the end
 * @param failure reason for its last interruption, or {@code null} when it goes on or is
 * completed
 */
public record ComparisonProgress(Subject subject, State state, Times times, @Nullable Key position, Counts counts,
		@Nullable String failure) {

	/**
	 * The subject of a comparison.
	 *
	 * @param peer id of the other node
	 * @param requested whether it was requested; else it is made over and over
	 */
	public record Subject(String peer, KeyRange range, boolean requested) {
	}

	/**
	 * The times of a round in milliseconds since the epoch.
	 *
	 * @param beganMillis time at which it began; 0 when none has
	 * @param completedMillis time at which it was completed; 0 when it is not
	 */
	public record Times(long beganMillis, long completedMillis) {

		static final Times NONE = new Times(0, 0);

	}

	/**
	 * The work of a round.
	 *
	 * @param keysCompared entries of this node's store that were looked at
	 * @param keysBefore entries that the round before has looked at, an estimate for this
	 * one; 0 when there was none
	 * @param rangesDiffering ranges of the finest kind that differed
	 * @param entriesSent entries that the peer has received
	 * @param entriesReceived entries that this node has received
	 * @param bytesTransferred bytes sent and received
	 */
	public record Counts(long keysCompared, long keysBefore, long rangesDiffering, long entriesSent,
			long entriesReceived, long bytesTransferred) {

		static final Counts NONE = new Counts(0, 0, 0, 0, 0, 0);

	}

	/** The states of a comparison. */
	public enum State {

		/** It is not due yet. */
		WAITING,

		/** It is under way. */
		RUNNING,

		/** It goes on as soon as it can. */
		INTERRUPTED,

		/** It is completed, and is not made again. */
		COMPLETED,

		/** It was given up. */
		FAILED

	}

}
