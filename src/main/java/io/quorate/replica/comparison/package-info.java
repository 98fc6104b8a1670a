/**
 * What one node can be asked about the difference between its store and another's:
 * {@link io.quorate.replica.comparison.PeerComparison}, and the values that travel.
 * Immutable values; no threads.
 */
@NullMarked
@NamedInterface("comparison")
package io.quorate.replica.comparison;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
