/**
 * What to merge next: a pure function from the descriptions of the live tables to a task.
 * <p>
 * Knows neither files nor threads nor the present time; whoever carries the tasks out
 * says which tables are busy. Depends on {@code storage.manifest} for the descriptions.
 */
@NullMarked
package io.quorate.storage.compaction;

import org.jspecify.annotations.NullMarked;
