package io.quorate.membership;

import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** The connection to a node that is to become a member. */
@FunctionalInterface
public interface CandidateContact {

	/**
	 * Connects to a node, and closes the connection after the handshake.
	 * @return the identity of the data in its directory; fails when it is not reached, or
	 * the two nodes refuse each other
	 */
	CompletableFuture<UUID> meet(Endpoint candidate);

}
