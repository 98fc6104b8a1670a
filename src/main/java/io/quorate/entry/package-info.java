/**
 * The stored data: {@link io.quorate.entry.Key}, {@link io.quorate.entry.Value}, its
 * {@link io.quorate.entry.ContentType}, the sealed {@link io.quorate.entry.Entry}, and
 * the one pure function that merges two entries of a key.
 * <p>
 * Immutable values; no threads, no I/O, no present time. May use {@code clock} for the
 * timestamp.
 */
@NullMarked
@ApplicationModule(allowedDependencies = "clock")
package io.quorate.entry;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
