package io.quorate.storage.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.quorate.storage.manifest.TableMeta;

/**
 * The tables that were set aside and not discarded, kept from going away. Looked at by
 * any thread, changed by one at a time.
 */
final class SetAsideTables implements AutoCloseable {

	private volatile List<TableHandle> tables;

	private final Set<TableHandle> damaged = ConcurrentHashMap.newKeySet();

	/** Tables that are held from now on. */
	SetAsideTables(List<TableHandle> tables) {
		this.tables = List.copyOf(tables);
		this.tables.forEach(RefCounted::hold);
	}

	List<TableHandle> current() {
		return this.tables;
	}

	/** From now on a table is not among the readable ones. */
	void leaveOut(TableHandle table) {
		this.damaged.add(table);
	}

	/** Those of some tables that were not left out. */
	List<TableHandle> readable(List<TableHandle> some) {
		return some.stream().filter((table) -> !this.damaged.contains(table)).toList();
	}

	void add(List<TableHandle> added) {
		added.forEach(RefCounted::hold);
		List<TableHandle> all = new ArrayList<>(this.tables);
		all.addAll(added);
		this.tables = List.copyOf(all);
	}

	/** Takes tables out; their files go when the last of their readers has let go. */
	void remove(List<TableHandle> removed) {
		List<TableHandle> left = new ArrayList<>(this.tables);
		left.removeAll(removed);
		this.tables = List.copyOf(left);
		removed.forEach(this.damaged::remove);
		removed.forEach(TableHandle::markObsolete);
		removed.forEach(RefCounted::letGo);
	}

	/** By number, how many bytes of each value file they refer to. */
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
		held.forEach(RefCounted::letGo);
	}

}
