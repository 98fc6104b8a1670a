package io.quorate.storage.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.quorate.storage.manifest.TableMeta;

/**
 * The tables that were set aside and not discarded, with a reference to each. Read by any
 * thread, changed by one at a time.
 */
final class SetAsideTables implements AutoCloseable {

	private volatile List<TableHandle> tables;

	private final Set<TableHandle> damaged = ConcurrentHashMap.newKeySet();

	/** Takes a reference to each table. */
	SetAsideTables(List<TableHandle> tables) {
		this.tables = List.copyOf(tables);
		this.tables.forEach(RefCounted::retain);
	}

	List<TableHandle> current() {
		return this.tables;
	}

	/** Excludes a table from the readable ones from now on. */
	void leaveOut(TableHandle table) {
		this.damaged.add(table);
	}

	/** The tables among the given ones that were not left out. */
	List<TableHandle> readable(List<TableHandle> some) {
		return some.stream().filter((table) -> !this.damaged.contains(table)).toList();
	}

	void add(List<TableHandle> added) {
		added.forEach(RefCounted::retain);
		List<TableHandle> all = new ArrayList<>(this.tables);
		all.addAll(added);
		this.tables = List.copyOf(all);
	}

	/** Removes tables; their files are deleted when the last reader has released them. */
	void remove(List<TableHandle> removed) {
		List<TableHandle> left = new ArrayList<>(this.tables);
		left.removeAll(removed);
		this.tables = List.copyOf(left);
		removed.forEach(this.damaged::remove);
		removed.forEach(TableHandle::markObsolete);
		removed.forEach(RefCounted::release);
	}

	/** Number of bytes of each value file that they refer to, by its number. */
	Map<Long, Long> valueBytes() {
		Map<Long, Long> referred = new HashMap<>();
		for (TableHandle handle : this.tables) {
			TableMeta meta = handle.meta();
			meta.summary().valueBytes().forEach((file, bytes) -> referred.merge(file, bytes, Long::sum));
		}
		return referred;
	}

	@Override
	public void close() {
		List<TableHandle> held = this.tables;
		this.tables = List.of();
		held.forEach(RefCounted::release);
	}

}
