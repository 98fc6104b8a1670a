package io.quorate.client;

/** An operation on one key: a call of its own, or an item of a batch. */
public sealed interface Item permits Put, Get, Delete {

	/** Returns the key. */
	String key();

}
