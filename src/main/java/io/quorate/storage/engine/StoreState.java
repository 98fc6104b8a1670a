package io.quorate.storage.engine;

import java.util.Map;
import java.util.stream.Stream;

import io.quorate.storage.manifest.TableMeta;

/**
 * The sizes of a store's files that its gauges show, readable at any time and on any
 * thread. It takes no references, and does not access the disk.
 */
record StoreState(OpenFiles files) {

	int waitingMemtables() {
		return this.files.views().peek().sealed().size();
	}

	/** Number of tables from one level to another, both included. */
	long tables(int lowest, int highest) {
		return metas(lowest, highest).count();
	}

	/** Size of the tables from one level to another, both included. */
	long tableBytes(int lowest, int highest) {
		return metas(lowest, highest).mapToLong((meta) -> meta.summary().sizeBytes()).sum();
	}

	private Stream<TableMeta> metas(int lowest, int highest) {
		return this.files.views()
			.peek()
			.tables()
			.stream()
			.map(TableHandle::meta)
			.filter((meta) -> meta.level() >= lowest && meta.level() <= highest);
	}

	/** Size of the tables of a view that may have hidden entries. */
	static long cleanupBytes(View view) {
		return view.uncleanTables().stream().mapToLong((meta) -> meta.summary().sizeBytes()).sum();
	}

	/** Bytes of value files besides garbage. */
	long liveValueBytes() {
		return Math.max(0, this.files.values().sizeBytes() - garbageValueBytes());
	}

	/**
	 * Bytes in complete value files to which no entry refers, including the frames of
	 * values. A file to which something in memory may refer counts as live, as it does
	 * for compactions.
	 */
	long garbageValueBytes() {
		View view = this.files.views().peek();
		Map<Long, Long> referred = view.valueBytes();
		this.files.aside().valueBytes().forEach((file, bytes) -> referred.merge(file, bytes, Long::sum));
		return this.files.values()
			.closedSizes()
			.entrySet()
			.stream()
			.filter((file) -> !view.refersFromMemory(file.getKey()))
			.mapToLong((file) -> Math.max(0, file.getValue() - referred.getOrDefault(file.getKey(), 0L)))
			.sum();
	}

}
