/**
 * Sorted tables: one immutable file each, written once, in key order, and read through a
 * memory mapping. The pages are MapDB's {@code SortedTableMap}; the checksums, the Bloom
 * filter and the footer are our own. MapDB's types do not leave this package.
 */
@NullMarked
package io.quorate.storage.sstable;

import org.jspecify.annotations.NullMarked;
