/**
 * The node as its operators see it: its status and health, the meters of the whole, and
 * configuration errors that say what would be right.
 * <p>
 * Promises that {@code /v0/status} answers as soon as the engine is open, whatever the
 * peers do, and that a wrong or unknown {@code quorate.*} property stops the start. No
 * threads of its own. May use {@code membership}, {@code storage}, {@code clock} and
 * {@code meter}.
 */
@NullMarked
@ApplicationModule(allowedDependencies = { "membership", "storage", "clock", "meter" })
package io.quorate.operations;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
