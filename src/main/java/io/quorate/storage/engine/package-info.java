/**
 * The engine behind {@link io.quorate.storage.Store}: keeps the files of a directory, the
 * log, the memtables and the tables in step, from start to close.
 */
@NullMarked
package io.quorate.storage.engine;

import org.jspecify.annotations.NullMarked;
