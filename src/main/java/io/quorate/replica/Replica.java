package io.quorate.replica;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.meter.TraceContext;
import io.quorate.replica.Failure.Reason;
import io.quorate.storage.PageLimit;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * One node in its role of holding keys.
 * <p>
 * Every method starts its work when it is called, not when its {@code Mono} is
 * subscribed; the {@code Mono} gives the one reply, to one subscriber, never fails and is
 * never empty, and cancelling it stops nothing but the listening. If another node does
 * not answer, a reply is made in its place soon after the deadline. No method blocks.
 */
public interface Replica {

	/** The version of the layout of a request that was planned under none. */
	long UNPLANNED = 0;

	/** Id of the node. */
	String nodeId();

	/**
	 * The same replica for requests that belong to a trace: a replica on another node
	 * adds its spans below that place.
	 */
	default Replica within(TraceContext place) {
		return this;
	}

	/**
	 * The same replica for requests that were planned under a version of the layout. The
	 * node refuses them once it has adopted a later one with another assignment of keys.
	 */
	default Replica planned(long layout) {
		return this;
	}

	/** Stores an entry that a client writes. */
	default Mono<WriteReply> apply(Key key, Entry entry, Deadline deadline) {
		return apply(key, entry, Origin.CLIENT, deadline);
	}

	/** Stores an entry, if the replica accepts it from this origin. */
	Mono<WriteReply> apply(Key key, Entry entry, Origin origin, Deadline deadline);

	/**
	 * Stores an entry, if the replica accepts it from this origin.
	 * @param layout version of the layout under which the request was planned, and that
	 * has let it in, or {@link #UNPLANNED}
	 */
	default Mono<WriteReply> apply(Key key, Entry entry, Origin origin, long layout, Deadline deadline) {
		return apply(key, entry, origin, deadline);
	}

	/** Reads the entry of a key, including its value of any size. */
	default Mono<ReadReply> read(Key key, Deadline deadline) {
		return read(key, Integer.MAX_VALUE, deadline);
	}

	/**
	 * Reads the entry of a key.
	 * @param maxValueBytes of an entry with a value of more bytes only its
	 * {@link ReadReply.Summarized} is given
	 */
	Mono<ReadReply> read(Key key, int maxValueBytes, Deadline deadline);

	/**
	 * Asks the replica to store nothing of a key below a ballot from now on, and for what
	 * it holds. The promise is durable when the reply is there.
	 */
	default Mono<PrepareReply> prepare(Key key, Proposal proposal, Deadline deadline) {
		return Mono.just(new PrepareReply.Failed(unsupported()));
	}

	/**
	 * Tells the replica that nothing was proposed with a ballot that it has promised, and
	 * nothing will be. The promise that it had replaced stands again. Best effort.
	 */
	default void release(Key key, Timestamp ballot, Deadline deadline) {
	}

	/**
	 * Reads the entry of a key together with the promise that stands.
	 * @param maxValueBytes of an entry with a value of more bytes only its summary is
	 * given
	 */
	default Mono<LookReply> look(Key key, int maxValueBytes, Deadline deadline) {
		return Mono.just(LookReply.failed(unsupported()));
	}

	/**
	 * Hands a write of a register to the node, which runs its rounds. After a refusal
	 * nothing was done; after any other failure the write may have happened.
	 */
	default Mono<HandoverReply> handOver(Key key, Handover write, Deadline deadline) {
		return Mono.just(new HandoverReply.Failed(unsupported()));
	}

	private static Failure unsupported() {
		return new Failure(Reason.UNSUPPORTED, "the replica does not know such requests");
	}

	/** Reads a page of a range. */
	Mono<PageReply> page(PageRequest request, Deadline deadline);

	/**
	 * Asks for the entries that have arrived at the replica behind a number, or waits
	 * until one arrives. Cancelling ends the wait.
	 */
	default Mono<ChangesReply> changes(ChangesRequest request, Deadline deadline) {
		return Mono.just(new ChangesReply.Failed(unsupported()));
	}

	/**
	 * Reads a page of the entries of a range in ascending order.
	 * @param start first key, inclusive
	 * @param end end of the range, exclusive, or {@code null} for the end of the store
	 */
	default Mono<PageReply> page(Key start, @Nullable Key end, PageLimit limit, Deadline deadline) {
		return page(new PageRequest(ScanRange.ascending(start, end), limit, false), deadline);
	}

}
