package io.quorate.membership.layout;

import io.quorate.storage.StoreStatus;

/**
 * The data of a member in numbers, as it reports them to the others.
 *
 * @param entries entries in its store, older ones of a key included
 * @param bytes bytes of its store, large values included
 * @param freeBytes bytes that are free on its disk
 * @param isRebuilding whether it is being rebuilt
 * @param moved its progress with what it gains
 */
public record MemberData(long entries, long bytes, long freeBytes, boolean isRebuilding, Moved moved) {

	/** The data of this node, by the state of its store. */
	public static MemberData of(StoreStatus store, boolean isRebuilding, Moved moved) {
		return new MemberData(store.held().entries(), store.held().bytes(), store.disk().freeBytes(), isRebuilding,
				moved);
	}

}
