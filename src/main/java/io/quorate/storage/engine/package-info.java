/**
 * The engine behind {@link io.quorate.storage.Store}: what a directory's files, the log,
 * the memtables and the tables are to each other, from start to close.
 */
@NullMarked
package io.quorate.storage.engine;

import org.jspecify.annotations.NullMarked;
