/**
 * The handler of watches ({@link io.quorate.api.changes.WatchController}): their
 * parameters, and their events as a stream or in answer to a poll. An answer holds one
 * batch of events in memory. Rests on {@code range} and {@code body}.
 */
@NullMarked
package io.quorate.api.changes;

import org.jspecify.annotations.NullMarked;
