package io.quorate.membership.change;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.quorate.membership.layout.Endpoint;

/** Asks other members to connect to a candidate that they have not met. */
@FunctionalInterface
public interface Introducers {

	/**
	 * Asks a member to meet a node, as {@link Introductions} does.
	 * @param limit time after which its answer is of no use
	 * @return the reason why the member has not met the node, in words; empty when it
	 * has. Never fails, and has an outcome within the limit.
	 */
	CompletableFuture<String> introduce(String member, Endpoint candidate, Duration limit);

}
