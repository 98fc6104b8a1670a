package io.quorate.storage.engine;

import io.quorate.storage.memtable.Memtable;
import io.quorate.storage.values.ValueFiles;

/** A memtable with references to the value files that its entries need. */
final class MemtableHandle extends RefCounted {

	private final Memtable memtable;

	private final ValueFiles values;

	private volatile long highestSequence;

	MemtableHandle(Memtable memtable, ValueFiles values) {
		this.memtable = memtable;
		this.values = values;
	}

	Memtable memtable() {
		return this.memtable;
	}

	/**
	 * Takes note of the sequence number of a write, also of a superseded one. Called by
	 * one thread.
	 */
	void reached(long sequence) {
		this.highestSequence = sequence;
	}

	/** The highest sequence number in its segment or before; 0 before the first write. */
	long highestSequence() {
		return this.highestSequence;
	}

	@Override
	void dispose() {
		this.values.release(this.memtable.valueFiles());
	}

}
