package io.quorate.coordinator;

import java.time.Duration;

import io.quorate.entry.Key;
import io.quorate.entry.Value;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Serves requests of clients on behalf of the whole cluster: any node, any key.
 * <p>
 * Every {@code Mono} starts its work when subscribed, ends by the deadline, and is never
 * empty. They fail with {@link QuorumNotReachedException} when too few replicas answer,
 * and with {@link RefusedException} when nothing was done. Safe for any number of
 * threads.
 */
public interface Coordinator {

	/** How many nodes may hold a key: the replication factor. */
	int replicationFactor();

	/**
	 * Writes a value. Cancelling only stops the listening: the write goes on.
	 * @param ttl after which it reads as absent, or {@code null} for never
	 * @param requestContext their permit is for the bytes of the value, and closed when
	 * the last replica's outcome is known, or when the write was not begun
	 */
	Mono<Written> put(Key key, Value value, @Nullable Duration ttl, RequestContext requestContext);

	/**
	 * Deletes a key, held or not. Cancelling only stops the listening: the deletion goes
	 * on.
	 * @param requestContext their permit is closed when the last replica's outcome is
	 * known, or when the deletion was not begun
	 */
	Mono<Written> delete(Key key, RequestContext requestContext);

	/**
	 * Reads a key. Cancelling abandons the read.
	 * @param requestContext their permit counts the values that the read holds, and the
	 * one that it gives; the caller closes it when it has no use for that any more
	 */
	Mono<ReadOutcome> read(Key key, RequestContext requestContext);

	/**
	 * Begins a scan, which the caller closes.
	 * @param start first key, inclusive
	 * @param end end of the range, exclusive, or {@code null} for the end
	 * @param limit most records of the whole scan, {@link Long#MAX_VALUE} for all
	 * @param timeout how long each page may take
	 * @param permit counts what the scan holds, the records that it gave last included;
	 * the caller closes it
	 * @param trail takes note of what becomes of it
	 */
	RangeScan scan(Key start, @Nullable Key end, long limit, Consistency consistency, Duration timeout,
			Admission.Permit permit, RequestTimeline trail);

}
