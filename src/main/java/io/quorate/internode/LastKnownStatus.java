package io.quorate.internode;

import java.util.UUID;

/**
 * A node's record of a peer's data, which it sends to that peer: the peer may have lost
 * its own records.
 *
 * @param storageId identity of the peer's data
 * @param position latest position that the peer has reported
 * @param comparedInstant hybrid time up to which the latest comparison of the two nodes
 * goes
 * @param declaredLost whether an operator has declared the peer lost, so that the node
 * did not wait for it
 * @param purgeHorizon hybrid time: the highest timestamp of an entry that the remembering
 * node may have purged, of the keys that both hold
 */
public record LastKnownStatus(UUID storageId, Position position, long comparedInstant, boolean declaredLost,
		long purgeHorizon) {

	/** The record of a peer never heard of. */
	public static final LastKnownStatus NONE = new LastKnownStatus(new UUID(0, 0), Position.NONE, 0, false, 0);

	/** Whether the peer was heard of at all. */
	public boolean isKnown() {
		return !this.storageId.equals(NONE.storageId);
	}

}
