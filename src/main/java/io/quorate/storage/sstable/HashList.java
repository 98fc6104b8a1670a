package io.quorate.storage.sstable;

import java.util.Arrays;

/** A growing list of 64-bit hashes. */
final class HashList {

	private long[] hashes;

	private int size;

	HashList(int initialCapacity) {
		this.hashes = new long[Math.max(1, initialCapacity)];
	}

	void add(long hash) {
		if (this.size == this.hashes.length) {
			this.hashes = Arrays.copyOf(this.hashes, Math.addExact(this.size, (this.size >> 1) + 1));
		}
		this.hashes[this.size++] = hash;
	}

	long get(int index) {
		return this.hashes[index];
	}

	int size() {
		return this.size;
	}

}
