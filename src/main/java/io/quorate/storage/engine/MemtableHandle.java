package io.quorate.storage.engine;

import io.quorate.storage.memtable.Memtable;
import io.quorate.storage.values.ValueFiles;

/** A memtable and the value files that it keeps from going away. */
final class MemtableHandle extends Shared {

	private final Memtable memtable;

	private final ValueFiles values;

	MemtableHandle(Memtable memtable, ValueFiles values) {
		this.memtable = memtable;
		this.values = values;
	}

	Memtable memtable() {
		return this.memtable;
	}

	@Override
	void giveBack() {
		this.values.letGo(this.memtable.valueFiles());
	}

}
