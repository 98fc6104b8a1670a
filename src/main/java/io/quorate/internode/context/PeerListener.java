package io.quorate.internode.context;

import java.util.UUID;

import io.quorate.internode.PeerStatusExchange;
import io.quorate.membership.members.MemberState;

/**
 * A listener to the connections with peers: their state, handshakes and keep-alives, and
 * the clocks of the peers. Called on event loops, for one peer one call after the other;
 * must not block and must not fail.
 */
public interface PeerListener {

	/** Whether the log has a line, at level INFO, when a peer is reached or lost. */
	default boolean isLogged() {
		return true;
	}

	/** The state of a peer has changed; at first it is disconnected. */
	default void stateChanged(String node, MemberState state) {
	}

	/**
	 * All connections to a peer are up: it can be sent requests of every size. Comes
	 * after the change of its state, and again when one of them was lost.
	 */
	default void reached(String node) {
	}

	/**
	 * A handshake with a peer has succeeded; comes before the change to up, and once for
	 * each of its connections.
	 * @param storageId identity of the data in the peer's directory
	 */
	default void greeted(String node, UUID storageId) {
	}

	/**
	 * A peer has sent its data status, by a handshake or later.
	 * {@link PeerStatusExchange} has received it before.
	 */
	default void heard(String node) {
	}

	/** A handshake or keep-alive says whether a peer is being rebuilt. */
	default void rebuilds(String node, boolean isRebuilding) {
	}

	/** An attempt to connect has failed, and no other connection is up. */
	default void notReached(String node) {
	}

	/**
	 * A handshake or keep-alive has brought the peer's physical clock, in milliseconds
	 * since the epoch; the reading is as old as this call.
	 */
	default void clockRead(String node, long physicalMillis) {
	}

	/**
	 * An answer has brought the peer's physical clock, in milliseconds since the epoch.
	 * May be called beside other calls for the peer.
	 * @param askedNanos instant at which it was asked for, by
	 * {@link InternodeClock#bootNanos}
	 */
	default void clockAnswered(String node, long physicalMillis, long askedNanos) {
	}

}
