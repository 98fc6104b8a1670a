/**
 * Memtables: what the log has written and no table holds yet, sorted, in memory.
 */
@NullMarked
package io.quorate.storage.memtable;

import org.jspecify.annotations.NullMarked;
