package io.quorate.coordinator;

import java.time.Duration;

import io.quorate.entry.Condition;
import io.quorate.entry.Key;
import reactor.core.publisher.Mono;

/**
 * Serves requests of clients on behalf of the whole cluster: any node, any key.
 * <p>
 * Every {@code Mono} starts its work when subscribed, ends by the deadline, and is never
 * empty. It fails with {@link QuorumNotReachedException} when too few replicas answer,
 * and with {@link RefusedException} when nothing was done. Safe for any number of
 * threads.
 */
public interface Coordinator {

	/** The replication factor: the greatest number of nodes that hold a key. */
	int replicationFactor();

	/** The replica sets by the current layout, the same object until there is another. */
	PreferenceLists lists();

	/**
	 * The time on which the members' clocks agree, in milliseconds since the epoch, or
	 * {@link io.quorate.clock.TrueTime#UNKNOWN}.
	 */
	long trueMillis();

	/**
	 * Writes a value. Cancelling only stops the listening: the write goes on. The content
	 * type is dropped as long as some member cannot keep it, because an upgrade is not
	 * finalized.
	 * @param requestContext terms of the request: its permit counts the bytes of the
	 * value, and is closed when the last replica's outcome is known, or when the write
	 * was not begun
	 */
	Mono<Written> put(Key key, Content content, RequestContext requestContext);

	/**
	 * Deletes a key, held or not. Cancelling only stops the listening: the deletion goes
	 * on.
	 * @param requestContext terms of the request: its permit is closed when the last
	 * replica's outcome is known, or when the deletion was not begun
	 */
	Mono<Written> delete(Key key, RequestContext requestContext);

	/**
	 * Reads a key. Cancelling abandons the read.
	 * @param requestContext terms of the request: its permit counts the values that the
	 * read holds, and the one that it returns; the caller closes the permit when it has
	 * no use for that value any more
	 */
	Mono<ReadOutcome> read(Key key, RequestContext requestContext);

	/**
	 * Writes a value through the register of the key, if a condition on the version that
	 * it replaces holds; a condition that always does makes the write linearizable. It
	 * takes effect at one instant between its start and its answer, and at most once when
	 * it has none. Cancelling only stops the listening.
	 * @param requestContext terms of the request, of all replicas and a majority of acks
	 * at least; its permit as in {@link #put}
	 * @return fails with {@link ConditionFailedException} when the condition does not
	 * hold, and with {@link ContendedException} when others were faster until the
	 * deadline: nothing was written in either case
	 */
	Mono<Written> putIf(Key key, Condition condition, Content content, RequestContext requestContext);

	/** Deletes a key as {@link #putIf} writes one. */
	Mono<Written> deleteIf(Key key, Condition condition, RequestContext requestContext);

	/**
	 * Renews the time to live of a value, which keeps its version. It never shortens: a
	 * value that lives longer, or for ever, stays so. A touch of a version may be done
	 * again whatever has become of the first one. Cancelling only stops the listening.
	 * @param condition condition on the version, at least that there is a value
	 * @param requestContext terms of the request, as in {@link #putIf}
	 * @return fails as {@link #putIf}, without a current version when there is no value;
	 * the fate of a failed one is unknown once it was proposed
	 */
	Mono<Touched> touch(Key key, Condition condition, Duration ttl, RequestContext requestContext);

	/**
	 * Reads a key at one instant between the start of the read and its answer. Whatever
	 * conditional write it does not show, and whose deadline had passed when it began,
	 * will never appear.
	 * @param requestContext terms of the request, of all replicas and a majority of acks
	 * at least; its permit as in {@link #read}
	 */
	Mono<ReadOutcome> readLinearizable(Key key, RequestContext requestContext);

	/** Begins a scan, which the caller closes. */
	RangeScan scan(ScanRequest request);

}
