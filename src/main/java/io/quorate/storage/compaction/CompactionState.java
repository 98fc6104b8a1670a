package io.quorate.storage.compaction;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.quorate.clock.Timestamp;
import io.quorate.storage.manifest.TableMeta;

/**
 * The input of the choice of a task.
 *
 * @param tables the live tables
 * @param busy numbers of tables that a task under way reads
 * @param quarantined numbers of tables that cannot be read: the other tables of their
 * runs are merged without them
 * @param unclean numbers of tables that may have entries below the floors of their
 * partitions
 * @param dueValueFiles numbers of value files with more garbage than they may have
 * @param purge bounds of what may be dropped
 */
public record CompactionState(Collection<TableMeta> tables, Set<Long> busy, Set<Long> quarantined, Set<Long> unclean,
		Set<Long> dueValueFiles, PurgeBounds purge) {

	public CompactionState {
		tables = List.copyOf(tables);
		busy = Set.copyOf(busy);
		quarantined = Set.copyOf(quarantined);
		dueValueFiles = Set.copyOf(dueValueFiles);
		unclean = Set.copyOf(unclean);
	}

	/** The same state while one more task is under way. */
	CompactionState during(CompactionTask task) {
		Set<Long> all = new HashSet<>(this.busy);
		task.inputs().forEach((table) -> all.add(table.number()));
		return new CompactionState(this.tables, all, this.quarantined, this.unclean, this.dueValueFiles, this.purge);
	}

	/**
	 * The bounds of what may be dropped.
	 *
	 * @param before tombstones and expired entries that are older may be dropped as far
	 * as repair and the memtables are concerned: not above the oldest timestamp of any
	 * memtable
	 * @param through latest arrival for which that holds
	 * @param expiredBeforeMillis entries whose expiry is earlier may be dropped as far as
	 * grace is concerned
	 */
	public record PurgeBounds(Timestamp before, long through, long expiredBeforeMillis) {
	}

}
