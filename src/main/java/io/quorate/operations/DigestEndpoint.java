package io.quorate.operations;

import io.quorate.repair.antientropy.StoreDigest;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.stereotype.Component;

/**
 * {@code /actuator/digest}: what this node's own store holds, in a few characters, so
 * that two nodes can be seen to hold the same. Reads the whole store.
 */
@Component
@Endpoint(id = "digest")
final class DigestEndpoint {

	private final StoreDigest digest;

	DigestEndpoint(StoreDigest digest) {
		this.digest = digest;
	}

	/**
	 * The digest at present.
	 * @param peer id of another node, if only what both must hold is to count
	 */
	@ReadOperation
	StoreDigest.Digest digest(@Nullable String peer) {
		try {
			return this.digest.read(peer);
		}
		catch (IllegalArgumentException unknown) {
			throw new InvalidEndpointRequestException(String.valueOf(unknown.getMessage()), "no other member");
		}
	}

}
