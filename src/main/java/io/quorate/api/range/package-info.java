/**
 * The handler of ranges ({@link io.quorate.api.range.RangeController}): their parameters
 * and cursors, and their records in each format. An answer holds one page in memory.
 * Rests on {@code body} and {@code watch}.
 */
@NullMarked
package io.quorate.api.range;

import org.jspecify.annotations.NullMarked;
