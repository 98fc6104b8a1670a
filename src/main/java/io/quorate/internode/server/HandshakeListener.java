package io.quorate.internode.server;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.quorate.membership.change.Introductions;
import org.jspecify.annotations.Nullable;

/**
 * A listener to the nodes that reach this node. Called on event loops; must not block.
 */
@FunctionalInterface
public interface HandshakeListener {

	/** A peer has connected, and its handshake was accepted. */
	void greetedBy(String node, boolean encrypted);

	/**
	 * A node that is no member asks to join.
	 * @param candidate its address, {@code id@host:port[/zone]}
	 * @param objection finds the reason why its connection is not that of a host,
	 * {@code null} for none
	 * @return progress of its joining, or the reason against it, in words. Completes on
	 * any thread.
	 */
	default CompletableFuture<String> asksToJoin(String node, String candidate,
			Function<String, CompletableFuture<@Nullable String>> objection) {
		return CompletableFuture.completedFuture("this node adds no members");
	}

	/**
	 * A peer asks this node to meet a node that is to join, see
	 * {@link Introductions#introduce}.
	 * @return the reason why the node was not met, in words; empty when it was. Never
	 * fails, completes on any thread.
	 */
	default CompletableFuture<String> introduces(String peer, String candidate) {
		return CompletableFuture.completedFuture("this node meets no candidates");
	}

}
