/**
 * Anti-entropy: each node compares its store with those of its peers, one peer after the
 * other and over and over, and brings to either what it lacks
 * ({@link io.quorate.repair.antientropy.AntiEntropy}); and answers the peers that do the
 * same ({@link io.quorate.repair.antientropy.ComparisonResponder}).
 * <p>
 * Promises that a completed comparison has looked at everything that was durable on
 * either side when it began and is not stamped after its instant; that a bounded rate of
 * bytes is spent on it; and that a lost connection costs no more than the batch that was
 * under way. Threads: {@code anti-entropy}, which leads and waits, and a few
 * {@code comparison-} for the questions of peers; none is an event loop.
 */
@NullMarked
@NamedInterface("antientropy")
package io.quorate.repair.antientropy;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
