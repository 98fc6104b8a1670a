package io.quorate.repair.hint;

/**
 * What is owed to a member at some moment.
 *
 * @param oldestMillis when the oldest was written, {@link Long#MAX_VALUE} for none
 */
record BacklogSize(long count, long bytes, long oldestMillis) {

	static final BacklogSize NOTHING = new BacklogSize(0, 0, Long.MAX_VALUE);

	/** How long ago the oldest was written; 0 for none. */
	long ageMillis(long nowMillis) {
		return (this.oldestMillis == Long.MAX_VALUE) ? 0 : Math.max(0, nowMillis - this.oldestMillis);
	}

}
