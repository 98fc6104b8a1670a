/**
 * The write-ahead log: segments of checksummed batches, written and fsynced by one
 * thread, and their replay after a crash. May use {@code storage.record} and the
 * exceptions of {@code storage}.
 */
@NullMarked
package io.quorate.storage.wal;

import org.jspecify.annotations.NullMarked;
