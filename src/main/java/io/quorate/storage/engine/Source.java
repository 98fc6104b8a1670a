package io.quorate.storage.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.storage.floor.FlooredCursor;
import io.quorate.storage.floor.Floors;
import io.quorate.storage.sstable.SortedTable;
import io.quorate.storage.sstable.TableCursor;
import io.quorate.storage.sstable.TableSummary;

/** A reference-counted set of parts to read pages from; each reader holds a reference. */
abstract class Source extends RefCounted {

	/** Cursors over all parts that overlap a range. */
	abstract List<TableCursor> cursors(ScanRange range);

	/**
	 * Cursors over those tables that overlap a range.
	 * @param read returns the pages to read of a table
	 * @param floors hide entries of tables, in the place of which there is a mark
	 */
	static List<TableCursor> cursors(List<TableHandle> tables, Function<TableHandle, SortedTable> read, ScanRange range,
			Floors floors) {
		Key start = range.start();
		Key end = range.end();
		List<TableCursor> cursors = new ArrayList<>();
		for (TableHandle handle : tables) {
			TableSummary summary = handle.meta().summary();
			boolean before = summary.keys().largest().compareTo(start) < 0;
			boolean behind = end != null && summary.keys().smallest().compareTo(end) >= 0;
			if (!before && !behind) {
				SortedTable table = read.apply(handle);
				TableCursor cursor = range.isDescending() ? table.descending(end) : table.cursor(start);
				cursors.add(floors.isCleanTable(handle.meta().number()) ? cursor : new FlooredCursor(cursor, floors));
			}
		}
		return cursors;
	}

}
