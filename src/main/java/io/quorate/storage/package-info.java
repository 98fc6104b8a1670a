/**
 * One node's store: a log-structured merge tree whose sorted tables are MapDB's.
 * {@link io.quorate.storage.Store} is its one public door to the data. Of the packages
 * below this one the bytes of entries ({@code record}) and log segments ({@code log}) and
 * the handling of files and threads ({@code file}, {@code thread}) are open to
 * {@code repair}, which keeps files of its own, and snapshots and their way back
 * ({@code snapshot}, {@code restore}) to {@code backup}; all else is internal.
 * <p>
 * Promises: what was acknowledged is there after any crash of the process (and of the
 * machine, with {@code quorate.storage.wal.sync=always}); what a disk has changed is
 * never served; what {@link io.quorate.storage.PurgePolicy} permits to forget reads as
 * forgotten, and wins against what is older until it is; numbers of arrival never go
 * back. Everything that is held can be put {@link io.quorate.storage.SetAsideData aside}
 * and the store go on without it; a {@linkplain io.quorate.storage.Store#backup snapshot}
 * of it can be made while it goes on, and installed again ({@code snapshot},
 * {@code restore}). Threads: one for the write-ahead log, one for large values, a small
 * pool each for table reads, for flushes and for compactions; none of them is ever
 * interrupted. Callers' threads read what memtables hold, and tables where the kernel has
 * the page in memory, and never wait for the disk. May use {@code security},
 * {@code entry}, {@code clock} and {@code meter}; sees neither other nodes nor HTTP.
 */
@NullMarked
@ApplicationModule(allowedDependencies = { "security", "entry", "clock", "meter" })
package io.quorate.storage;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
