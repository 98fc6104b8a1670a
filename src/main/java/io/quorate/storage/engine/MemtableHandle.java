package io.quorate.storage.engine;

import io.quorate.storage.memtable.Memtable;
import io.quorate.storage.values.ValueFiles;

/** A memtable and the value files that it keeps from going away. */
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

	/** Takes note of an arrival, also of one that was superseded. One thread calls it. */
	void reached(long sequence) {
		this.highestSequence = sequence;
	}

	/** The latest arrival in its segment or before; 0 when none is known. */
	long highestSequence() {
		return this.highestSequence;
	}

	@Override
	void giveBack() {
		this.values.letGo(this.memtable.valueFiles());
	}

}
