/**
 * One node's store: a log-structured merge tree whose sorted tables are MapDB's.
 * {@link io.quorate.storage.Store} is its one public door; everything in the packages
 * below this one is internal.
 * <p>
 * Promises: what was acknowledged is there after any crash of the process (and of the
 * machine, with {@code quorate.storage.wal.sync=always}); what a disk has changed is
 * never served. Threads: one for the write-ahead log, one for large values, a small pool
 * each for table reads, for flushes and for compactions; none of them is ever
 * interrupted, and none of the callers' threads does I/O. May use {@code entry},
 * {@code clock} and {@code meter}; sees neither other nodes nor HTTP.
 */
@NullMarked
@ApplicationModule(allowedDependencies = { "entry", "clock", "meter" })
package io.quorate.storage;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
