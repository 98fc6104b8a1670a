/**
 * Sorted tables: one immutable file each, written once, in key order, and read through a
 * memory mapping. The pages are MapDB's {@code SortedTableMap}; the checksums, the Bloom
 * filter and the footer are our own. MapDB writes the pages and goes through them; keys
 * are looked up by our own search of the same bytes, which remembers the positions that
 * it has found. MapDB's types do not leave this package.
 * <p>
 * Entries can be compressed, each node of some KiB by itself, and the footer names the
 * compression of its table: tables of all compressions stand side by side. The checksums
 * are those of the pages as they are in the file, and are compared before anything is
 * unpacked.
 * <p>
 * Promises: a table stands at its place whole and durable, or not at all; every byte of
 * it is covered by a checksum, and no read answers from a page that was not compared with
 * its own (how often: see {@link io.quorate.storage.PageVerification}); an interrupt of a
 * reader disturbs no other reader; a closed table leaves no mapping behind. Has no
 * threads of its own. A table is at most 2 GiB.
 */
@NullMarked
package io.quorate.storage.sstable;

import org.jspecify.annotations.NullMarked;
