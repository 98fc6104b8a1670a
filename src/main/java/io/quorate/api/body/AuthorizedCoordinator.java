package io.quorate.api.body;

import java.util.function.Function;

import io.quorate.coordinator.Content;
import io.quorate.coordinator.Coordinator;
import io.quorate.coordinator.RangeScan;
import io.quorate.coordinator.ReadOutcome;
import io.quorate.coordinator.RequestContext;
import io.quorate.coordinator.ScanRequest;
import io.quorate.coordinator.Written;
import io.quorate.entry.ScanRange;
import io.quorate.security.access.Caller.ReadableKey;
import io.quorate.security.access.Caller.ReadableRange;
import io.quorate.security.access.Caller.WritableKey;
import reactor.core.publisher.Mono;
import org.springframework.stereotype.Component;

/**
 * The coordinator as handlers reach it: each call takes a capability, which only the
 * check of a caller's rights makes. A handler that forgets the check does not compile.
 */
@Component
public final class AuthorizedCoordinator {

	private final Coordinator coordinator;

	/** The same coordinator behind the checks. */
	public AuthorizedCoordinator(Coordinator coordinator) {
		this.coordinator = coordinator;
	}

	/** The replication factor of the present layout. */
	public int replicationFactor() {
		return this.coordinator.replicationFactor();
	}

	/** Writes a value under a key that the caller may write. */
	public Mono<Written> put(WritableKey key, Content content, RequestContext requestContext) {
		return this.coordinator.put(key.key(), content, requestContext);
	}

	/** Deletes a key that the caller may write. */
	public Mono<Written> delete(WritableKey key, RequestContext requestContext) {
		return this.coordinator.delete(key.key(), requestContext);
	}

	/** Reads a key that the caller may read. */
	public Mono<ReadOutcome> read(ReadableKey key, RequestContext requestContext) {
		return this.coordinator.read(key.key(), requestContext);
	}

	/** Reads a range that the caller may read. */
	public RangeScan scan(ReadableRange range, Function<ScanRange, ScanRequest> request) {
		return this.coordinator.scan(request.apply(range.range()));
	}

}
