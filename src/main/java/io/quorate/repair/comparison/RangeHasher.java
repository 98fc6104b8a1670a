package io.quorate.repair.comparison;

import io.quorate.entry.Key;
import io.quorate.replica.comparison.RangeHash;
import org.jspecify.annotations.Nullable;

/**
 * Combines the hashes of the entries of a range. The result depends on their order, and a
 * change of a single entry always changes it. Used by one thread.
 */
final class RangeHasher {

	/* Odd, so that multiplying loses nothing: a prime of XXH64. */
	private static final long PRIME = 0x9E3779B185EBCA87L;

	private static final int ROTATION = 31;

	private final Key start;

	private long hash;

	private int count;

	private int examined;

	RangeHasher(Key start) {
		this.start = start;
	}

	void add(long entryHash) {
		this.hash = Long.rotateLeft(this.hash ^ entryHash, ROTATION) * PRIME;
		this.count++;
	}

	/** Counts an entry that was looked at, whether it is added or not. */
	void examined() {
		this.examined++;
	}

	int count() {
		return this.count;
	}

	int examinedCount() {
		return this.examined;
	}

	RangeHash endingAt(@Nullable Key end) {
		return new RangeHash(this.start, end, this.hash, this.count);
	}

}
