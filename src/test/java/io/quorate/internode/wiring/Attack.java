package io.quorate.internode.wiring;

import java.io.IOException;

/**
 * An attack on the port that peers reach.
 *
 * @param bytes bytes that a peer sends
 * @param reason part of the reason for which the server closes the connection
 */
record Attack(Bytes bytes, String reason) {

	/** Bytes that a peer sends, perhaps until it is cut off. */
	@FunctionalInterface
	interface Bytes {

		void send(RawPeer peer) throws IOException;

	}

}
