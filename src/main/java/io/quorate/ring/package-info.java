/**
 * The placement of keys on nodes: partitions and their preference lists.
 * <p>
 * Promises that the answer depends on key, members and zones only, is the same on every
 * node and in every version that agrees about the
 * {@linkplain io.quorate.ring.Ring#epoch() epoch}, and that a smaller number of copies is
 * a prefix of a larger one. Immutable values and pure functions: no threads, no I/O, no
 * present time. May use {@code entry} for the key and its hash.
 */
@NullMarked
@ApplicationModule(allowedDependencies = "entry")
package io.quorate.ring;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
