package io.quorate.storage.engine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.floor.FlooredCursor;
import io.quorate.storage.floor.Floors;
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

	private final Floors floors;

	/**
	 * A view, which takes a reference to each of its parts.
	 * @param sealed memtables waiting for their flush, the oldest first
	 */
	View(MemtableHandle active, List<MemtableHandle> sealed, List<TableHandle> tables, Floors floors) {
		this.active = active;
		this.sealed = List.copyOf(sealed);
		this.tables = tables.stream()
			.sorted(Comparator.comparing((TableHandle table) -> table.meta().summary().times().newest()).reversed())
			.toList();
		this.floors = floors;
		this.levelZeroTables = (int) tables.stream().filter((table) -> table.meta().level() == 0).count();
		this.newestInTables = this.tables.isEmpty() ? Timestamp.ZERO
				: this.tables.getFirst().meta().summary().times().newest();
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

	/** The floors of its entries. */
	Floors floors() {
		return this.floors;
	}

	/** The same view from which other floors hide entries that are there already. */
	View withFloors(Floors next) {
		return new View(this.active, this.sealed, this.tables,
				next.withFirstCleanSegment(this.active.memtable().segment() + 1));
	}

	/** Tables that may have hidden entries. */
	List<TableMeta> uncleanTables() {
		return this.tables.stream()
			.map(TableHandle::meta)
			.filter((meta) -> !this.floors.isCleanTable(meta.number()))
			.toList();
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

	/** Number of entries, older ones of a key and hidden ones included. */
	long heldEntries() {
		return memtables().stream().mapToLong(Memtable::keys).sum()
				+ this.tables.stream().mapToLong((handle) -> handle.meta().summary().counts().entries()).sum();
	}

	/** Bytes of the memtables, the tables, and the large values that they refer to. */
	long heldBytes() {
		return memtables().stream().mapToLong((memtable) -> memtable.sizeBytes() + memtable.valueBytes()).sum()
				+ this.tables.stream().mapToLong((handle) -> handle.meta().summary().bytesWithValues()).sum();
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
		StoredEntry best = inMemory(this.active.memtable(), key, hash);
		for (MemtableHandle handle : this.sealed) {
			StoredEntry entry = inMemory(handle.memtable(), key, hash);
			if (entry != null) {
				best = (best == null) ? entry : StoredEntry.winner(best, entry, byValue);
			}
		}
		return best;
	}

	private @Nullable StoredEntry inMemory(Memtable memtable, Key key, long hash) {
		StoredEntry entry = memtable.get(key, hash);
		boolean isHidden = entry != null && !this.floors.isCleanSegment(memtable.segment())
				&& this.floors.hides(hash, entry.sequence());
		return isHidden ? null : entry;
	}

	/**
	 * The entry of a key in one of the tables, or {@code null}; may wait for the disk.
	 */
	@Nullable StoredEntry inTable(TableHandle handle, Key key, long hash) {
		StoredEntry entry = handle.table().get(key, hash);
		return (entry != null && hides(handle, hash, entry.sequence())) ? null : entry;
	}

	private boolean hides(TableHandle handle, long hash, long sequence) {
		return !this.floors.isCleanTable(handle.meta().number()) && this.floors.hides(hash, sequence);
	}

	/** Whether the floors hide each entry of a key that a table may have. */
	private boolean hidesAll(TableHandle handle, long hash) {
		return hides(handle, hash, handle.meta().summary().highestSequence());
	}

	/** Whether the floors hide each entry of a key that a sealed memtable may have. */
	private boolean hidesAll(MemtableHandle handle, long hash) {
		return !this.floors.isCleanSegment(handle.memtable().segment())
				&& this.floors.hides(hash, handle.highestSequence());
	}

	/**
	 * Tables that may hold an entry of the key which wins over the one found, in the
	 * order to search them.
	 */
	List<TableHandle> candidates(Key key, long hash, @Nullable StoredEntry found) {
		List<TableHandle> candidates = List.of();
		for (TableHandle handle : this.tables) {
			if (isOlderThan(handle, found)) {
				break;
			}
			if (handle.meta().summary().covers(key) && !hidesAll(handle, hash)
					&& handle.table().mayContain(key, hash)) {
				candidates = candidates.isEmpty() ? new ArrayList<>(2) : candidates;
				candidates.add(handle);
			}
		}
		return candidates;
	}

	/** Whether every entry of a table loses against the one found. */
	static boolean isOlderThan(TableHandle handle, @Nullable StoredEntry found) {
		return found != null && found.timestamp().isAfter(handle.meta().summary().times().newest());
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
			if (held != null && held.isAfter(timestamp) && !hidesAll(handle, hash)) {
				return new ApplyResult.Superseded(held, true, false);
			}
		}
		if (!this.newestInTables.isAfter(timestamp)) {
			return null;
		}
		for (TableHandle handle : this.tables) {
			Timestamp newest = handle.meta().summary().times().newest();
			if (!newest.isAfter(timestamp)) {
				return null;
			}
			if (handle.table().mayContain(key, hash) && !hidesAll(handle, hash)) {
				return new ApplyResult.Superseded(newest, false);
			}
		}
		return null;
	}

	/**
	 * Whether an entry of a key wins over the one found in those parts of which
	 * {@linkplain #cursors(ScanRange, long) cursors} are left out. May wait for the disk.
	 */
	boolean isBeatenBelow(long above, Key key, StoredEntry found, Comparator<StoredEntry> ties) {
		long hash = key.hash64();
		for (MemtableHandle handle : this.sealed) {
			StoredEntry other = isBelow(handle, above) ? inMemory(handle.memtable(), key, hash) : null;
			if (other != null && StoredEntry.compare(other, found, ties) > 0) {
				return true;
			}
		}
		for (TableHandle handle : candidates(key, hash, found)) {
			StoredEntry other = isBelow(handle, above) ? inTable(handle, key, hash) : null;
			if (other != null && StoredEntry.compare(other, found, ties) > 0) {
				return true;
			}
		}
		return false;
	}

	/** Whether all entries of a table have arrived up to a number. */
	private static boolean isBelow(TableHandle handle, long above) {
		return handle.meta().summary().highestSequence() <= above;
	}

	private static boolean isBelow(MemtableHandle handle, long above) {
		return handle.highestSequence() <= above;
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
		if (this.floors.isLost(hash)) {
			return false;
		}
		// Entries of the active memtable may be above what is noted of it, never below.
		if (this.active.memtable().mayHoldOlder(key, hash, deletion) || this.sealed.stream()
			.anyMatch((handle) -> handle.memtable().mayHoldOlder(key, hash, deletion) && !hidesAll(handle, hash))) {
			return true;
		}
		return this.tables.stream()
			.filter((handle) -> !except.contains(handle.meta()))
			.anyMatch((handle) -> !handle.meta().summary().times().oldest().isAfter(deletion)
					&& handle.table().mayContain(key, hash) && !hidesAll(handle, hash));
	}

	@Override
	List<TableCursor> cursors(ScanRange range) {
		return cursors(range, 0);
	}

	/**
	 * Cursors over all parts that overlap a range and may have an entry that has arrived
	 * behind a number.
	 */
	List<TableCursor> cursors(ScanRange range, long above) {
		List<TableHandle> read = (above == 0) ? this.tables
				: this.tables.stream().filter((handle) -> !isBelow(handle, above)).toList();
		List<TableCursor> cursors = new ArrayList<>(cursors(read, TableHandle::table, range, this.floors));
		cursors.add(cursor(this.active.memtable(), range));
		for (MemtableHandle handle : this.sealed) {
			if (!isBelow(handle, above)) {
				cursors.add(cursor(handle.memtable(), range));
			}
		}
		return cursors;
	}

	private TableCursor cursor(Memtable memtable, ScanRange range) {
		TableCursor cursor = range.isDescending() ? memtable.descending(range.end()) : memtable.cursor(range.start());
		return this.floors.isCleanSegment(memtable.segment()) ? cursor : new FlooredCursor(cursor, this.floors);
	}

}
