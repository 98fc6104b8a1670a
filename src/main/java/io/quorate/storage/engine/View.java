package io.quorate.storage.engine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.manifest.TableMeta;
import io.quorate.storage.memtable.Memtable;
import io.quorate.storage.record.StoredEntry;
import io.quorate.storage.sstable.TableCursor;
import org.jspecify.annotations.Nullable;

/**
 * The memtables and tables that make up the store at one moment. Its lists never change;
 * each reader holds a reference.
 */
final class View extends Source {

	private final MemtableHandle active;

	private final List<MemtableHandle> sealed;

	private final List<TableHandle> tables;

	private final int levelZeroTables;

	private final Timestamp newestInTables;

	/**
	 * A view, which takes a reference to each of its parts.
	 * @param sealed memtables waiting for their flush, the oldest first
	 */
	View(MemtableHandle active, List<MemtableHandle> sealed, List<TableHandle> tables) {
		this.active = active;
		this.sealed = List.copyOf(sealed);
		this.tables = tables.stream()
			.sorted(Comparator.comparing((TableHandle table) -> table.meta().summary().newest()).reversed())
			.toList();
		this.levelZeroTables = (int) tables.stream().filter((table) -> table.meta().level() == 0).count();
		this.newestInTables = this.tables.isEmpty() ? Timestamp.ZERO : this.tables.getFirst().meta().summary().newest();
		active.retain();
		this.sealed.forEach(RefCounted::retain);
		this.tables.forEach(RefCounted::retain);
	}

	@Override
	void dispose() {
		this.active.release();
		this.sealed.forEach(RefCounted::release);
		this.tables.forEach(RefCounted::release);
	}

	MemtableHandle active() {
		return this.active;
	}

	List<MemtableHandle> sealed() {
		return this.sealed;
	}

	/** The tables, the one with the newest timestamp first. */
	List<TableHandle> tables() {
		return this.tables;
	}

	/** The highest timestamp of all entries. */
	Timestamp newest() {
		Timestamp newest = this.newestInTables;
		for (Memtable memtable : memtables()) {
			newest = memtable.newest().isAfter(newest) ? memtable.newest() : newest;
		}
		return newest;
	}

	int levelZeroTables() {
		return this.levelZeroTables;
	}

	List<TableMeta> tableMetas() {
		return this.tables.stream().map(TableHandle::meta).toList();
	}

	List<Memtable> memtables() {
		List<Memtable> memtables = new ArrayList<>(this.sealed.size() + 1);
		memtables.add(this.active.memtable());
		this.sealed.forEach((handle) -> memtables.add(handle.memtable()));
		return memtables;
	}

	/** Number of bytes of each value file that the tables refer to, by its number. */
	Map<Long, Long> valueBytes() {
		Map<Long, Long> referred = new HashMap<>();
		this.tables.forEach((handle) -> handle.meta()
			.summary()
			.valueBytes()
			.forEach((file, bytes) -> referred.merge(file, bytes, Long::sum)));
		return referred;
	}

	/** Whether an entry in memory may refer to a value file. */
	boolean refersFromMemory(long valueFile) {
		return memtables().stream().anyMatch((memtable) -> memtable.valueFiles().contains(valueFile));
	}

	/** The entry that wins among those in memory, or {@code null}. */
	@Nullable StoredEntry inMemory(Key key, long hash, Comparator<StoredEntry> byValue) {
		StoredEntry best = this.active.memtable().get(key, hash);
		for (MemtableHandle handle : this.sealed) {
			StoredEntry entry = handle.memtable().get(key, hash);
			if (entry != null) {
				best = (best == null) ? entry : StoredEntry.winner(best, entry, byValue);
			}
		}
		return best;
	}

	/**
	 * Tables that may hold an entry of the key which wins over the one found, in the
	 * order to search them.
	 * @param excluded receives the number of tables that Bloom filters excluded, if any
	 */
	List<TableHandle> candidates(Key key, long hash, @Nullable StoredEntry found, IntConsumer excluded) {
		List<TableHandle> candidates = List.of();
		int covering = 0;
		for (TableHandle handle : this.tables) {
			if (isOlderThan(handle, found)) {
				break;
			}
			if (handle.meta().summary().covers(key)) {
				covering++;
				if (handle.table().mayContain(key, hash)) {
					candidates = candidates.isEmpty() ? new ArrayList<>(2) : candidates;
					candidates.add(handle);
				}
			}
		}
		if (covering > candidates.size()) {
			excluded.accept(covering - candidates.size());
		}
		return candidates;
	}

	/** Whether every entry of a table loses against the one found. */
	static boolean isOlderThan(TableHandle handle, @Nullable StoredEntry found) {
		return found != null && found.timestamp().isAfter(handle.meta().summary().newest());
	}

	/**
	 * Returns the timestamp of an entry of the key that is newer than the given one, or
	 * of a table that may hold such an entry; {@code null} if there is neither. Reads no
	 * page, and does not search the active memtable.
	 */
	ApplyResult.@Nullable Superseded newerThan(Timestamp timestamp, Key key) {
		if (this.sealed.isEmpty() && !this.newestInTables.isAfter(timestamp)) {
			return null;
		}
		long hash = key.hash64();
		for (MemtableHandle handle : this.sealed) {
			Timestamp held = handle.memtable().timestamp(key, hash);
			if (held != null && held.isAfter(timestamp)) {
				return new ApplyResult.Superseded(held, true);
			}
		}
		if (!this.newestInTables.isAfter(timestamp)) {
			return null;
		}
		for (TableHandle handle : this.tables) {
			Timestamp newest = handle.meta().summary().newest();
			if (!newest.isAfter(timestamp)) {
				return null;
			}
			if (handle.table().mayContain(key, hash)) {
				return new ApplyResult.Superseded(newest, false);
			}
		}
		return null;
	}

	/** Number of the given tables that may hold an entry of the key. */
	int mayHold(Key key, List<TableMeta> among) {
		long hash = key.hash64();
		return (int) this.tables.stream()
			.filter((handle) -> among.contains(handle.meta()))
			.filter((handle) -> handle.meta().summary().covers(key) && handle.table().mayContain(key, hash))
			.count();
	}

	/**
	 * Whether an entry of the key older than a deletion may be anywhere but in the given
	 * tables, so that the deletion is still needed.
	 */
	boolean mayHoldOlder(Key key, Timestamp deletion, List<TableMeta> except) {
		long hash = key.hash64();
		if (memtables().stream().anyMatch((memtable) -> memtable.mayHoldOlder(key, hash, deletion))) {
			return true;
		}
		return this.tables.stream()
			.filter((handle) -> !except.contains(handle.meta()))
			.anyMatch((handle) -> !handle.meta().summary().oldest().isAfter(deletion)
					&& handle.table().mayContain(key, hash));
	}

	@Override
	List<TableCursor> cursors(ScanRange range) {
		List<TableCursor> cursors = new ArrayList<>(cursors(this.tables, TableHandle::table, range));
		memtables().forEach((memtable) -> cursors
			.add(range.isDescending() ? memtable.descending(range.end()) : memtable.cursor(range.start())));
		return cursors;
	}

}
