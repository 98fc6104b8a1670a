package io.quorate.internode;

import java.util.UUID;

import io.quorate.membership.MemberState;

/**
 * Hears what becomes known of peers. Called on event loops, of one peer one call after
 * the other; must not block and must not fail.
 */
public interface PeerListener {

	/** The state of a peer has changed; at first it is disconnected. */
	default void stateChanged(String node, MemberState state) {
	}

	/**
	 * A handshake with a peer has succeeded; comes before the change to up, and once for
	 * each of its connections.
	 * @param storageId identity of the data in the peer's directory
	 */
	default void greeted(String node, UUID storageId) {
	}

	/**
	 * A peer has said how its data stands, by a handshake or later, after
	 * {@link PeerStatusExchange} was told.
	 */
	default void heard(String node) {
	}

	/** An attempt to connect has failed, and no other connection is up. */
	default void notReached(String node) {
	}

	/**
	 * A sign of life came with what the peer's physical clock says, in milliseconds since
	 * the epoch; it is as old as this call.
	 */
	default void clockRead(String node, long physicalMillis) {
	}

}
