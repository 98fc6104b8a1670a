/**
 * The floors of partitions: what has arrived in the store before the node gained a
 * partition, or of a partition that it has lost, is as if it were not there.
 * {@link io.quorate.storage.floor.Floors} are values; of files this package knows
 * {@code SHARES} alone. No threads.
 */
@NullMarked
package io.quorate.storage.floor;

import org.jspecify.annotations.NullMarked;
