package io.quorate.internode.wire;

import io.quorate.clock.Timestamp;
import io.quorate.consensus.Answer;
import io.quorate.consensus.Decisions;
import io.quorate.entry.Entry;
import io.quorate.entry.Summary;
import io.quorate.internode.DataStatus;
import io.quorate.internode.Position;
import io.quorate.membership.layout.LayoutReport;
import io.quorate.membership.reports.Program;
import io.quorate.replica.Failure;
import io.quorate.replica.HandoverReply;
import io.quorate.replica.LookReply;
import io.quorate.replica.PrepareReply;
import io.quorate.replica.comparison.ComparisonStart;
import io.quorate.replica.comparison.Round;
import io.quorate.storage.Arrivals;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.ScanPage;
import org.jspecify.annotations.Nullable;

/** A reply of a peer to a request. */
public sealed interface Reply {

	record Welcome(Handshake handshake) implements Reply {
	}

	/**
	 * The refusal of a handshake.
	 *
	 * @param field field that differs: a stranger learns no more
	 */
	record Refused(Mismatch.Field field) implements Reply {
	}

	/**
	 * The refusal of the handshake of a process, because another one is the member.
	 *
	 * @param addresses those of the other one and of this one, for people
	 * @param later decisions about the layout that it lacks, {@code null} for none
	 */
	record Occupied(String addresses, @Nullable Decisions later) implements Reply {
	}

	/**
	 * The answer to a keep-alive.
	 *
	 * @param program program of the sender
	 * @param layout layout that the sender has adopted, {@code null} while it takes no
	 * part in decisions about it
	 * @param addresses those of the receiver and of another process with its id, which
	 * the sender has refused a moment ago; empty for none
	 */
	record Pong(long physicalMillis, boolean draining, DataStatus dataStatus, Program program,
			@Nullable LayoutReport layout, String addresses) implements Reply {

		public Pong(long physicalMillis, boolean draining, DataStatus dataStatus, Program program,
				@Nullable LayoutReport layout) {
			this(physicalMillis, draining, dataStatus, program, layout, "");
		}

	}

	/**
	 * The time for which the sender has had no connection to a member.
	 *
	 * @param millis time in milliseconds, 0 when there is a connection; {@value #UNKNOWN}
	 * when the sender knows no such member
	 */
	record Silence(long millis) implements Reply {

		/** Of a node that is no member. */
		public static final long UNKNOWN = -1;

	}

	/**
	 * The answer to a member that would like a node to be met.
	 *
	 * @param objection reason why the node was not met; empty when it was
	 */
	record Introduced(String objection) implements Reply {
	}

	/**
	 * The answer to a candidate that asks to join.
	 *
	 * @param said progress of its joining, or the reason against it, in words
	 */
	record Join(String said) implements Reply {
	}

	/** The answer to a request about the layout. */
	record Layout(Answer answer) implements Reply {
	}

	/**
	 * The ack of a write: the replica holds the entry durably.
	 *
	 * @param isComplete as {@link io.quorate.replica.WriteReply.Applied} says
	 * @param position position of the replica's data
	 */
	record Applied(boolean isComplete, Position position) implements Reply {
	}

	/**
	 * The answer to a write when the replica holds, or may hold, a newer entry.
	 *
	 * @param by timestamp that a newer write has to exceed
	 * @param wasNeverHeld whether no read of the replica has found the entry, nor ever
	 * will
	 * @param isPlain whether the newer entry is one of a plain write
	 * @param position position of the replica's data
	 */
	record Superseded(Timestamp by, boolean wasNeverHeld, boolean isPlain, Position position) implements Reply {
	}

	/**
	 * The answer to a write that a promise refuses.
	 *
	 * @param by ballot of the promise
	 * @param position position of the replica's data
	 */
	record Promised(Timestamp by, Position position) implements Reply {
	}

	record Found(Entry entry) implements Reply {
	}

	/** The summary of an entry with a value of more bytes than were asked for. */
	record Summarized(Summary summary) implements Reply {
	}

	record Absent() implements Reply {
	}

	record Page(ScanPage page) implements Reply {
	}

	/** The answer to a request for arrivals. */
	record Changed(Arrivals.Page page) implements Reply {
	}

	/** A reply about the register of a key. A failure is {@link Failed}. */
	sealed interface Register extends Reply {

	}

	/**
	 * The answer to a request for a promise.
	 *
	 * @param physicalMillis physical clock of the sender, in milliseconds since the epoch
	 */
	record Prepared(PrepareReply reply, long physicalMillis) implements Register {
	}

	/** The answer to a look. */
	record Looked(LookReply reply) implements Register {
	}

	/** The answer to a write that was handed over. */
	record HandedOver(HandoverReply reply) implements Register {
	}

	/** The promise does not stand any more, or it did not. */
	record Released() implements Register {
	}

	/**
	 * A reply in a comparison, apart from {@link Page}; headers are also one to a page.
	 */
	sealed interface Comparison extends Reply {

	}

	/** The start of a round, as the peer has noted it. */
	record Begun(ComparisonStart comparisonStart) implements Comparison {
	}

	record Compared(io.quorate.replica.comparison.ComparisonResult ranges) implements Comparison {
	}

	record Headers(HeaderPage page) implements Comparison {
	}

	/** The end of a round, on which both sides agree. */
	record Completed(Round round) implements Comparison {
	}

	/** The size of a reply that would have more bytes than the request allows. */
	record TooLarge(int sizeBytes) implements Reply {
	}

	record Failed(Failure failure) implements Reply {
	}

	/**
	 * A reply as it travels.
	 *
	 * @param stamp current timestamp of the sender
	 */
	record Envelope(Timestamp stamp, Reply reply) {
	}

}
