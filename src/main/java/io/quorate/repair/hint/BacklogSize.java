package io.quorate.repair.hint;

/**
 * The size of a member's hint backlog at one moment.
 *
 * @param oldestMillis time at which the oldest hint was written, {@link Long#MAX_VALUE}
 * for none
 */
record BacklogSize(long count, long bytes, long oldestMillis) {

	static final BacklogSize NOTHING = new BacklogSize(0, 0, Long.MAX_VALUE);

	/** Age of the oldest hint; 0 for none. */
	long ageMillis(long nowMillis) {
		return (this.oldestMillis == Long.MAX_VALUE) ? 0 : Math.max(0, nowMillis - this.oldestMillis);
	}

}
