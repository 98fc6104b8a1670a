/**
 * The questions to one node about the difference between its store and that of another
 * node: {@link io.quorate.replica.comparison.PeerComparison}, and the values that are
 * exchanged. Immutable values; no threads.
 */
@NullMarked
@NamedInterface("comparison")
package io.quorate.replica.comparison;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
