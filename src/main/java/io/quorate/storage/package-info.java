/**
 * One node's store: a log-structured merge tree whose sorted tables are MapDB's.
 * {@link io.quorate.storage.Store} is its one public door to the data. Of the packages
 * below this one the bytes of entries ({@code record}) and log segments ({@code log}) and
 * the handling of files and threads ({@code file}, {@code thread}) are open to
 * {@code repair}, which keeps files of its own. Snapshots and their installation
 * ({@code snapshot}, {@code restore}) are open to {@code backup}; all else is internal.
 * <p>
 * Promises: an acknowledged write is there after any crash of the process (and of the
 * machine, with {@code quorate.storage.wal.sync=always}). Bytes that a disk has changed
 * are never served. An entry that {@link io.quorate.storage.PurgePolicy} permits to purge
 * reads as purged, and until it is dropped it still wins against older entries. Sequence
 * numbers of arrivals never go back. All data can be
 * {@linkplain io.quorate.storage.SetAsideData set aside} while the store goes on without
 * it. A {@linkplain io.quorate.storage.Store#backup snapshot} can be made while the store
 * runs, and installed again ({@code snapshot}, {@code restore}).
 * <p>
 * Threads: one for the write-ahead log, one for large values, a small pool each for table
 * reads, for flushes and for compactions; none of them is ever interrupted. Callers'
 * threads read what memtables hold, and tables where the kernel has the page in memory,
 * and never wait for the disk. May use {@code security}, {@code entry}, {@code clock} and
 * {@code meter}; sees neither other nodes nor HTTP.
 */
@NullMarked
@ApplicationModule(allowedDependencies = { "security", "entry", "clock", "meter" })
package io.quorate.storage;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
