package io.quorate.storage.manifest;

import io.quorate.storage.sstable.TableSummary;

/**
 * A live table and its place in the order of merging.
 *
 * @param number number of its file
 * @param level 0 as it came from a flush, above that the number of merges of its entries
 * @param run the sorted run that it is part of: the tables of a run have one level and
 * disjoint key ranges
 * @param summary content of its footer
 */
public record TableMeta(long number, int level, long run, TableSummary summary) {
}
