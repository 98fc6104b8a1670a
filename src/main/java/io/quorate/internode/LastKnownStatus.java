package io.quorate.internode;

import java.util.UUID;

/**
 * What a node remembers of another. It is told to that one, which may have lost what it
 * knew itself.
 *
 * @param storageId identity of the data that it had
 * @param position the latest that it was heard to have reached
 * @param comparedInstant hybrid time: up to it the two nodes were compared when they were
 * last
 * @param declaredLost whether an operator has declared it lost, so that it was not waited
 * for
 * @param purgeHorizon hybrid time: the highest stamp of what the remembering node may
 * have forgotten of what both hold
 */
public record LastKnownStatus(UUID storageId, Position position, long comparedInstant, boolean declaredLost,
		long purgeHorizon) {

	/** Of a node never heard of. */
	public static final LastKnownStatus NONE = new LastKnownStatus(new UUID(0, 0), Position.NONE, 0, false, 0);

	/** Whether the node was heard of at all. */
	public boolean isOfSomebody() {
		return !this.storageId.equals(NONE.storageId);
	}

}
