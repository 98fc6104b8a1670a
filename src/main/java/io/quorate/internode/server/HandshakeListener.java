package io.quorate.internode.server;

/** A listener to the peers that reach this node. Called on event loops. */
@FunctionalInterface
public interface HandshakeListener {

	/** A peer has connected, and its handshake was accepted. */
	void greetedBy(String node, boolean encrypted);

}
