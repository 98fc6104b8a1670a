package io.quorate.internode;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Summary;
import io.quorate.replica.Failure;
import io.quorate.replica.comparison.ComparisonStart;
import io.quorate.replica.comparison.Round;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.ScanPage;

/** What a peer says to a request. */
sealed interface Reply {

	record Welcome(Handshake handshake) implements Reply {
	}

	/**
	 * The greeting of who does not belong here.
	 *
	 * @param field in which it differs: a stranger learns no more
	 */
	record Refused(Mismatch.Field field) implements Reply {
	}

	/** A sign of life. */
	record Pong(long physicalMillis, boolean draining, DataStatus dataStatus) implements Reply {
	}

	/**
	 * Whether the other may stop.
	 *
	 * @param objection why it should not; empty when it may
	 */
	record Leave(String objection) implements Reply {
	}

	/**
	 * Holds the entry durably.
	 *
	 * @param isComplete as {@link io.quorate.replica.WriteReply.Applied} says
	 * @param position how far the peer's data is
	 */
	record Applied(boolean isComplete, Position position) implements Reply {
	}

	/**
	 * Holds something newer.
	 *
	 * @param by stamp of what it holds
	 * @param wasNeverHeld whether no read there has found the entry, nor ever will
	 * @param position as above
	 */
	record Superseded(Timestamp by, boolean wasNeverHeld, Position position) implements Reply {
	}

	record Found(Entry entry) implements Reply {
	}

	/** Holds an entry with a value of more bytes than were asked for. */
	record Summarized(Summary summary) implements Reply {
	}

	record Absent() implements Reply {
	}

	record Page(ScanPage page) implements Reply {
	}

	/** What a peer says in a comparison, apart from {@link Page}. */
	sealed interface Comparison extends Reply {

	}

	/** It has noted this, and the round has begun. */
	record Begun(ComparisonStart comparisonStart) implements Comparison {
	}

	record Compared(io.quorate.replica.comparison.ComparisonResult ranges) implements Comparison {
	}

	record Headers(HeaderPage page) implements Comparison {
	}

	/** The round is over, and what it says is agreed. */
	record Completed(Round round) implements Comparison {
	}

	/** The reply would have this many bytes, more than the request allows. */
	record TooLarge(int sizeBytes) implements Reply {
	}

	record Failed(Failure failure) implements Reply {
	}

	/**
	 * A reply as it travels.
	 *
	 * @param stamp the present of the sender
	 */
	record Envelope(Timestamp stamp, Reply reply) {
	}

}
