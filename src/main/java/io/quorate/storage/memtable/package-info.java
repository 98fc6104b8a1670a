/**
 * Memtables: sorted maps in memory of the entries that the log has written and no table
 * holds yet.
 */
@NullMarked
package io.quorate.storage.memtable;

import org.jspecify.annotations.NullMarked;
