package io.quorate.membership.layout;

import java.util.UUID;

/** A change of the layout that an operator asks for. */
public sealed interface ChangeRequest {

	/**
	 * A node joins.
	 *
	 * @param node its id, zone and address
	 * @param storageId identity of the data in its directory
	 */
	record Add(Endpoint node, UUID storageId) implements ChangeRequest {
	}

	/**
	 * A member leaves.
	 *
	 * @param isDead whether it is declared dead: the change does not wait for it
	 */
	record Remove(String member, boolean isDead) implements ChangeRequest {
	}

	/**
	 * A node takes the place of a member.
	 *
	 * @param member member that goes
	 * @param node id, zone and address of the node that comes
	 * @param storageId identity of the data in its directory
	 * @param isDead whether the member is declared dead
	 */
	record Replace(String member, Endpoint node, UUID storageId, boolean isDead) implements ChangeRequest {
	}

	/**
	 * The replication factor changes.
	 *
	 * @param factor number of members that hold an entry afterwards, one more or one less
	 * than before
	 */
	record Replication(int factor) implements ChangeRequest {
	}

	/** The change that is under way is given up. */
	record Abort() implements ChangeRequest {
	}

}
