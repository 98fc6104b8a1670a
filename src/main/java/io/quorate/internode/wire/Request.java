package io.quorate.internode.wire;

import java.util.List;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.internode.DataStatus;
import io.quorate.meter.TraceContext;
import io.quorate.replica.ChangesRequest;
import io.quorate.replica.Handover;
import io.quorate.replica.Origin;
import io.quorate.replica.PageRequest;
import io.quorate.replica.Proposal;
import io.quorate.replica.comparison.ComparisonStart;
import io.quorate.replica.comparison.RangeHash;
import io.quorate.replica.comparison.Round;
import org.jspecify.annotations.Nullable;

/** A request of a node to a peer. */
public sealed interface Request {

	/** The first message of a connection. */
	record Hello(Handshake handshake) implements Request {
	}

	/** A keep-alive. */
	record Ping(long physicalMillis, DataStatus dataStatus) implements Request {
	}

	/** Asks for how long the receiver has had no connection to a member. */
	record Silence(String member) implements Request {
	}

	/**
	 * Asks a member to meet a node that is to join, and that does not know the sender as
	 * a member yet.
	 *
	 * @param candidate id, zone and address of the node, {@code id@host:port[/zone]}
	 */
	record Introduce(String candidate) implements Request {
	}

	/**
	 * Asks a member, as the first message of a connection, to have the sender join.
	 *
	 * @param handshake handshake of the sender, which is no member
	 * @param candidate id, zone and address of the sender, {@code id@host:port[/zone]}
	 */
	record Join(Handshake handshake, String candidate) implements Request {
	}

	/** A request about the layout of the cluster: for decisions, a vote, or with one. */
	record Layout(io.quorate.consensus.Request request) implements Request {
	}

	record Apply(Key key, Entry entry, Origin origin) implements Request {
	}

	/**
	 * Reads a key, if the reply has at most so many bytes.
	 *
	 * @param maxValueBytes size of a value above which a summary of the entry is enough
	 */
	record Read(Key key, int maxValueBytes, int maxReplyBytes) implements Request {
	}

	/** Reads a page, if the reply has at most so many bytes. */
	record Page(PageRequest page, int maxReplyBytes) implements Request {
	}

	/** Asks for arrivals, or waits for one. */
	record Changes(ChangesRequest changes) implements Request {
	}

	/** A request about the register of a key. */
	sealed interface Register extends Request {

		/** The key. */
		Key key();

	}

	/** Asks for a promise. */
	record Prepare(Key key, Proposal proposal) implements Register {
	}

	/**
	 * Reads a key and the promise that stands, if the reply has at most so many bytes.
	 *
	 * @param maxValueBytes size of a value above which a summary of the entry is enough
	 */
	record Look(Key key, int maxValueBytes, int maxReplyBytes) implements Register {
	}

	/** Hands over a write, or a read, if the reply has at most so many bytes. */
	record HandOver(Key key, Handover write, int maxReplyBytes) implements Register {
	}

	/** Tells that nothing was proposed with a ballot. */
	record Release(Key key, Timestamp ballot) implements Register {
	}

	/** A request of a peer that leads a comparison of its store with the receiver's. */
	sealed interface Comparison extends Request {

		/** Round of the comparison that the request belongs to. */
		Round round();

	}

	/** Begins a round, or goes on with it. */
	record Begin(Round round, ComparisonStart comparisonStart) implements Comparison {
	}

	/** Asks which ranges differ. */
	record Compare(Round round, List<RangeHash> ranges) implements Comparison {
	}

	/** Reads headers, if the reply has at most so many bytes. */
	record Headers(Round round, Key start, @Nullable Key end, int maxReplyBytes) implements Comparison {
	}

	/** Reads the entries of keys, if the reply has at most so many bytes. */
	record Fetch(Round round, List<Key> keys, int maxReplyBytes) implements Comparison {
	}

	/** Ends a round after its last step. */
	record Complete(Round round) implements Comparison {
	}

	/**
	 * A request as it travels.
	 *
	 * @param remainingMillis time left to its deadline when it was sent
	 * @param sentMicros time at which it was sent, on the monotonic clock of the sender
	 * @param stamp current timestamp of the sender
	 * @param trace place in a trace to which the receiver adds, {@code null} for none
	 * @param layout version of the layout under which the request was planned
	 */
	record Envelope(int remainingMillis, long sentMicros, Timestamp stamp, @Nullable TraceContext trace, long layout,
			Request request) {

		/** A request that was planned under the first layout. */
		public Envelope(int remainingMillis, long sentMicros, Timestamp stamp, @Nullable TraceContext trace,
				Request request) {
			this(remainingMillis, sentMicros, stamp, trace, io.quorate.membership.layout.Layout.FIRST, request);
		}

	}

}
