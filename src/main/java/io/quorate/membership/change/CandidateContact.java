package io.quorate.membership.change;

import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.LayoutVersion;
import org.jspecify.annotations.Nullable;

/** The connection to a node that is to become a member. */
@FunctionalInterface
public interface CandidateContact {

	/**
	 * Connects to a node, and closes the connection after the handshake. Nothing that the
	 * node reports is taken in elsewhere.
	 * @return the report of the node; fails when it is not reached, or the two nodes
	 * refuse each other
	 */
	CompletableFuture<Candidate> meet(Endpoint candidate);

	/**
	 * The report of a node that is to become a member.
	 *
	 * @param storageId identity of the data in its directory
	 * @param hasData whether its store has ever had an entry
	 * @param adopted layout that it has adopted, {@code null} while it takes no part in
	 * decisions
	 */
	record Candidate(UUID storageId, boolean hasData, @Nullable LayoutVersion adopted) {
	}

}
