package io.quorate.client;

/** The effect of a request, which decides on its repetition. */
enum Effect {

	/** It changes nothing, or to repeat it does no harm. */
	NONE,

	/** It writes, and is repeated only if it has certainly not happened. */
	WRITE,

	/** It writes, and a repetition gets the answer of the first attempt by its key. */
	ONCE,

	/**
	 * The same on versions that the caller names. They never come back: if one attempt
	 * finds another version, none before it has happened, and none will.
	 */
	ONCE_ON_VERSIONS;

	boolean isWrite() {
		return this != NONE;
	}

	boolean isOnce() {
		return this == ONCE || this == ONCE_ON_VERSIONS;
	}

}
