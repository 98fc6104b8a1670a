/**
 * The declaration and registration of meters: each room has one enum,
 * {@code <Room>Meters}, that gives every meter its name, its unit, its tags, its buckets
 * and its meaning.
 * <p>
 * Promises that a meter is registered as it was declared, with no tag more or less, and
 * that latencies are histograms. No threads of its own. May use no other room.
 */
@NullMarked
@ApplicationModule(allowedDependencies = {})
package io.quorate.meter;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
