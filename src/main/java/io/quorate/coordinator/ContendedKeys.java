package io.quorate.coordinator;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

import io.quorate.entry.Key;

/**
 * The keys that several coordinators write at once, or one after another faster than
 * their clocks agree: those for which a replica held something newer than a write of this
 * coordinator in the last ten minutes. Keys of one hash share a place, so that a key may
 * be taken for such a one when another is. Safe for any number of threads.
 */
final class ContendedKeys {

	/** Time from the last write that was too old until a key is no longer of these. */
	static final Duration REMEMBERED = Duration.ofMinutes(10);

	private static final int PLACES = 1 << 12;

	private final LongSupplier nanos;

	/* The instant up to which the keys of each place are of these. */
	private final AtomicLongArray until = new AtomicLongArray(PLACES);

	ContendedKeys(LongSupplier nanos) {
		this.nanos = nanos;
		long now = nanos.getAsLong();
		for (int i = 0; i < PLACES; i++) {
			this.until.setPlain(i, now);
		}
	}

	/** Learns that a replica held something newer than a write. */
	void superseded(Key key) {
		this.until.set(place(key), this.nanos.getAsLong() + REMEMBERED.toNanos());
	}

	/** Whether a write of a key is to expect others at the same time. */
	boolean includes(Key key) {
		return this.until.get(place(key)) - this.nanos.getAsLong() > 0;
	}

	private static int place(Key key) {
		int hash = key.hashCode();
		return (hash ^ (hash >>> 16)) & (PLACES - 1);
	}

}
