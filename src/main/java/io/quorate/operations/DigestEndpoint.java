package io.quorate.operations;

import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

import io.quorate.repair.antientropy.StoreDigest;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.stereotype.Component;

/**
 * The endpoint {@code /actuator/digest}: a digest of this node's own store in a few
 * characters, so that two nodes can be seen to hold the same. Reads the whole store, for
 * one request at a time: any other is answered 409.
 */
@Component
@WebEndpoint(id = "digest")
final class DigestEndpoint {

	private static final int CONFLICT = 409;

	private final StoreDigest digest;

	private final AtomicBoolean reading = new AtomicBoolean();

	DigestEndpoint(StoreDigest digest) {
		this.digest = digest;
	}

	/**
	 * The digest at present.
	 * @param peer id of another node, if only entries that both must hold are to count
	 */
	@ReadOperation
	WebEndpointResponse<?> digest(@Nullable String peer) {
		if (!this.reading.compareAndSet(false, true)) {
			return new WebEndpointResponse<>(Map.of("result", "another digest is being read"), CONFLICT);
		}
		try {
			return new WebEndpointResponse<>(this.digest.read(peer));
		}
		catch (IllegalArgumentException unknown) {
			throw new InvalidEndpointRequestException(String.valueOf(unknown.getMessage()), "no other member");
		}
		finally {
			this.reading.set(false);
		}
	}

}
