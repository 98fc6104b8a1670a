/**
 * The node as its operators see it: its status and health, the meters of the whole, and
 * configuration errors that name the remedy; and the beginning of its stop.
 * <p>
 * Promises that {@code /v0/status} answers as soon as the engine is open, whatever the
 * peers do, and that a wrong or unknown {@code quorate.*} property stops the start. No
 * threads of its own but at the end of a process. May use {@code backup}, {@code repair}
 * (comparisons, and the decisions of operators), {@code membership}, {@code storage},
 * {@code entry}, {@code clock} and {@code meter}.
 */
@NullMarked
@ApplicationModule(allowedDependencies = { "backup", "repair :: antientropy", "repair :: comparison", "repair :: purge",
		"repair :: rebuild", "membership :: agreement", "membership :: change", "membership :: layout",
		"membership :: members", "membership :: reports", "security", "security :: access", "security :: jwt",
		"storage", "entry", "clock", "meter" })
package io.quorate.operations;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
