/**
 * The choice of the next compaction: a pure function from the descriptions of the live
 * tables to a task.
 * <p>
 * Knows neither files nor threads nor the present time; the caller carries the tasks out
 * and names the busy tables. Depends on {@code storage.manifest} for the descriptions.
 */
@NullMarked
package io.quorate.storage.compaction;

import org.jspecify.annotations.NullMarked;
