/**
 * Anti-entropy: each node compares its store with those of its peers, one peer after the
 * other and over and over, and sends either node the entries that it lacks
 * ({@link io.quorate.repair.antientropy.AntiEntropy}); and it answers the peers that do
 * the same ({@link io.quorate.repair.antientropy.ComparisonResponder}).
 * <p>
 * Promises that a completed comparison has looked at every entry that was durable on
 * either side when it began and has no timestamp after its instant; that it keeps to a
 * rate limit; and that a lost connection costs no more than the batch that was under way.
 * Threads: {@code anti-entropy}, which leads and waits, and a few {@code comparison-} for
 * the questions of peers; none is an event loop.
 */
@NullMarked
@NamedInterface("antientropy")
package io.quorate.repair.antientropy;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
