/**
 * The handler of batches ({@link io.quorate.api.batch.BatchController}): lines, items,
 * their calls, and answers in the order of the lines. What a batch holds in memory is
 * bounded and admitted first. Rests on {@code entity}, {@code body} and {@code watch}.
 */
@NullMarked
package io.quorate.api.batch;

import org.jspecify.annotations.NullMarked;
