package io.quorate.storage.floor;

import java.util.Arrays;
import java.util.stream.IntStream;

import io.quorate.entry.Partitions;
import io.quorate.storage.ShareChange;

/**
 * The floors of all partitions at one moment. An entry whose arrival sequence is not
 * above the floor of its key's partition is hidden: as if it were not there. The floor is
 * 0 at first, infinite for a partition that the node has lost, and for one that it has
 * gained the highest sequence of before. Immutable.
 * <p>
 * Invariants of a store with these floors: (1) an entry of a lost partition is left out
 * on its way into a memtable; (2) when a floor is set, the memtable before ends, and no
 * merge that is under way reads a later one: so a memtable or table that has an entry
 * above the floor of a partition has none below it; (3) flushes and merges leave hidden
 * entries out, so the tables from {@link #firstCleanTable()} on have none. Therefore only
 * older tables, and memtables that were there when the floors were set, need a look at
 * the floors when they are read.
 */
public final class Floors {

	/** The floors of a node that has always held what it holds. */
	public static final Floors NONE = new Floors(0, new long[Partitions.COUNT], 0, 0);

	static final long LOST = Long.MAX_VALUE;

	private final long version;

	private final long[] floors;

	private final long firstCleanTable;

	private final long firstCleanSegment;

	private final long highest;

	private final boolean hasLost;

	private Floors(long version, long[] floors, long firstCleanTable, long firstCleanSegment) {
		this.version = version;
		this.floors = floors;
		this.firstCleanTable = firstCleanTable;
		this.firstCleanSegment = firstCleanSegment;
		long highestFinite = 0;
		boolean isAnyLost = false;
		for (long floor : floors) {
			isAnyLost |= floor == LOST;
			highestFinite = (floor != LOST) ? Math.max(highestFinite, floor) : highestFinite;
		}
		this.highest = highestFinite;
		this.hasLost = isAnyLost;
	}

	/** Floors as they were read from a file. The replay of the log leaves no entry. */
	static Floors recovered(long version, long[] floors, long firstCleanTable) {
		return new Floors(version, floors.clone(), firstCleanTable, 0);
	}

	/**
	 * The floors after a change.
	 * @param sequence highest sequence that was given out before
	 * @param nextTable number of the next table to be written
	 */
	public Floors after(ShareChange change, long sequence, long nextTable) {
		long[] next = this.floors.clone();
		// What was lost before is in older tables alone, and needs no further look.
		boolean isMoreHidden = false;
		for (int partition = 0; partition < next.length; partition++) {
			boolean isLost = change.lost().has(partition);
			if (isLost || change.gained().has(partition) || regains(change, partition)) {
				isMoreHidden |= next[partition] != LOST;
				next[partition] = isLost ? LOST : sequence;
			}
		}
		return new Floors(change.version(), next, isMoreHidden ? nextTable : this.firstCleanTable,
				this.firstCleanSegment);
	}

	/** Whether a change gains or loses anything by these floors. */
	public boolean isMovedBy(ShareChange change) {
		return !change.isEmpty() || gainedBy(change) > 0;
	}

	/** Number of the partitions that a change gains by these floors. */
	public int gainedBy(ShareChange change) {
		return change.gained().size() + (int) IntStream.range(0, this.floors.length)
			.filter((partition) -> !change.gained().has(partition) && regains(change, partition))
			.count();
	}

	private boolean regains(ShareChange change, int partition) {
		return change.isWhole() && this.floors[partition] == LOST && !change.lost().has(partition);
	}

	/** The same floors, where only memtables before that of a segment need a look. */
	public Floors withFirstCleanSegment(long segment) {
		return new Floors(this.version, this.floors, this.firstCleanTable, segment);
	}

	/**
	 * The floors of a store that may get all keys again, by layouts that need not be
	 * those of before: of what it has lost, what has arrived until now stays hidden, and
	 * what arrives later counts. They are of no version, so that each one sets its own.
	 * @param sequence highest sequence that was given out before
	 */
	public Floors withoutLosses(long sequence) {
		long[] next = Arrays.stream(this.floors).map((floor) -> (floor != LOST) ? floor : sequence).toArray();
		return new Floors(0, next, this.firstCleanTable, this.firstCleanSegment);
	}

	/** Version of the layout for which they were set; 0 before the first. */
	public long version() {
		return this.version;
	}

	/** The highest floor of the partitions that are not lost. */
	public long highest() {
		return this.highest;
	}

	/** Number of the first table that has no hidden entry. */
	public long firstCleanTable() {
		return this.firstCleanTable;
	}

	/** The floor of a partition. */
	long of(int partition) {
		return this.floors[partition];
	}

	/** Whether a table has no hidden entry. */
	public boolean isCleanTable(long number) {
		return number >= this.firstCleanTable;
	}

	/** Whether the memtable of a segment has no hidden entry. */
	public boolean isCleanSegment(long segment) {
		return segment >= this.firstCleanSegment;
	}

	/**
	 * Whether an entry is hidden, or all entries of a key in a table or memtable.
	 * @param hash hash of the key
	 * @param sequence arrival of the entry, or highest one in the table or memtable
	 */
	public boolean hides(long hash, long sequence) {
		long floor = this.floors[Partitions.of(hash)];
		return floor > 0 && sequence <= floor;
	}

	/** Whether the node has lost any partition. */
	public boolean hasLost() {
		return this.hasLost;
	}

	/**
	 * Whether the node has lost the partition of a key.
	 * @param hash hash of the key
	 */
	public boolean isLost(long hash) {
		return this.hasLost && this.floors[Partitions.of(hash)] == LOST;
	}

	/** Number of the partitions with a floor, lost ones included. */
	public int raised() {
		return (int) Arrays.stream(this.floors).filter((floor) -> floor > 0).count();
	}

	/** Number of the partitions that the node has lost. */
	public int lost() {
		return (int) Arrays.stream(this.floors).filter((floor) -> floor == LOST).count();
	}

}
