package io.quorate.watch;

import java.util.Map;

/**
 * The numbers of arrival up to which entries are known, by the epochs in which they were
 * given. Immutable.
 */
record Positions(Map<Long, Long> byEpoch) {

	/** Nothing is known. */
	static final Positions NONE = new Positions(Map.of());

	Positions {
		byEpoch = Map.copyOf(byEpoch);
	}

	boolean isNone() {
		return this.byEpoch.isEmpty();
	}

	boolean knows(long epoch) {
		return this.byEpoch.containsKey(epoch);
	}

	/** The number in an epoch, 0 when none is known. */
	long of(long epoch) {
		return this.byEpoch.getOrDefault(epoch, 0L);
	}

}
