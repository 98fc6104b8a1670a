package io.quorate.storage.compaction;

import java.util.List;

import io.quorate.storage.manifest.TableMeta;

/**
 * Whole runs to be merged into one new run, or a table of a run to be rewritten.
 *
 * @param inputs all tables of these runs, by run and then by number
 * @param outputLevel level of the new run, at least 1
 * @param reason the reason for which it is due
 */
public record CompactionTask(List<TableMeta> inputs, int outputLevel, Reason reason) {

	public CompactionTask {
		inputs = List.copyOf(inputs);
	}

	/**
	 * Number of bytes of the input tables: about the free disk space that the task needs.
	 */
	public long inputBytes() {
		return this.inputs.stream().mapToLong((table) -> table.summary().sizeBytes()).sum();
	}

	/** Whether the inputs include flushed tables. */
	public boolean readsLevelZero() {
		return this.inputs.stream().anyMatch((table) -> table.level() == 0);
	}

	/**
	 * Whether the output belongs to the run of the input. So a large run is cleaned table
	 * by table, and a restart loses the work on one.
	 */
	public boolean keepsRun() {
		return this.reason == Reason.CLEANUP;
	}

	/** The reason for which a task is due. */
	public enum Reason {

		/** A level has too many runs. */
		LEVEL,

		/**
		 * Too many bytes of other runs are likely to replace or delete entries of the
		 * last run.
		 */
		SPACE,

		/** Too much of the last run is deleted or expired, and may go. */
		PURGE,

		/** A value file has too much garbage: its live values are to be copied away. */
		VALUES,

		/**
		 * Tables have entries of partitions that the node has lost, or had before it has
		 * gained them.
		 */
		CLEANUP,

		/** Entries from the future are to be left out. */
		FUTURE

	}

}
