package io.quorate.storage;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;

/**
 * A promise of a store: as long as it stands, the store takes no entry of the key that is
 * stamped below the ballot, from any sender. It stands until the store takes an entry at
 * or above the ballot, or it is released; time does not end it, nor a restart.
 *
 * @param madeNanos instant at which it was asked for, as {@link System#nanoTime} counts;
 * after a restart that of the start
 * @param untilNanos deadline of the request that asked for it, counted in the same way;
 * after a restart that of the start
 */
public record Promise(Key key, Timestamp ballot, long madeNanos, long untilNanos) {
}
