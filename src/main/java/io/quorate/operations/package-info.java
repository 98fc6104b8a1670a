/**
 * The node as its operators see it: its status, and configuration errors that say what
 * would be right.
 * <p>
 * Promises that {@code /v0/status} answers as soon as the engine is open, whatever the
 * peers do, and that a wrong or unknown {@code quorate.*} property stops the start. No
 * threads of its own. May use {@code internode}, {@code membership}, {@code storage} and
 * {@code clock}.
 */
@NullMarked
@ApplicationModule(allowedDependencies = { "membership", "storage", "clock", "meter" })
package io.quorate.operations;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
