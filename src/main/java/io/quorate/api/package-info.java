/**
 * The HTTP protocol of clients: entities, ranges, watches, the differences between
 * replicas, and problem documents for every error.
 * <p>
 * Promises that a request is wholly checked before any work is done for it, that the
 * memory of a body or an answer is admitted first and released on every way out, that a
 * slow client slows its own answer and nothing else, that errors are mapped to HTTP in
 * one class ({@link io.quorate.api.request.Problems}), and that every request for
 * entities or a range of them is measured once, however it ends
 * ({@link io.quorate.api.watch.RequestObserver}). Works on the event loops and never
 * blocks them; one thread sweeps for bodies and answers that stand still. May use
 * {@code operations}, {@code watch}, {@code coordinator}, the overview of {@code repair},
 * {@code security}, {@code entry}, {@code clock} and {@code meter}; sees neither the
 * store nor the wire format between nodes.
 */
@NullMarked
@ApplicationModule(allowedDependencies = { "operations", "watch", "coordinator", "repair :: overview", "security",
		"security :: access", "entry", "clock", "meter" })
package io.quorate.api;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
