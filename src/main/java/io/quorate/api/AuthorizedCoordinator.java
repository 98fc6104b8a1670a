package io.quorate.api;

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
final class AuthorizedCoordinator {

	private final Coordinator coordinator;

	AuthorizedCoordinator(Coordinator coordinator) {
		this.coordinator = coordinator;
	}

	int replicationFactor() {
		return this.coordinator.replicationFactor();
	}

	Mono<Written> put(WritableKey key, Content content, RequestContext requestContext) {
		return this.coordinator.put(key.key(), content, requestContext);
	}

	Mono<Written> delete(WritableKey key, RequestContext requestContext) {
		return this.coordinator.delete(key.key(), requestContext);
	}

	Mono<ReadOutcome> read(ReadableKey key, RequestContext requestContext) {
		return this.coordinator.read(key.key(), requestContext);
	}

	RangeScan scan(ReadableRange range, Function<ScanRange, ScanRequest> request) {
		return this.coordinator.scan(request.apply(range.range()));
	}

}
