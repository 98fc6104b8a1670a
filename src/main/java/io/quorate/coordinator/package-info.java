/**
 * Quorum reads, writes and scans. A request is planned once
 * ({@link io.quorate.coordinator.ReplicaPlan}); a write is sent to all its replicas, a
 * read to the best of them; the answer is the merge of their replies.
 * <p>
 * Promises that an answered or abandoned write goes on at every replica that was asked,
 * that every later majority reads what one majority has read, or a newer entry, that
 * every request ends by its deadline, and that requests and bytes in flight, the values
 * that reads and scans hold included, are bounded
 * ({@link io.quorate.coordinator.Admission}). Replies are merged on the thread that
 * brings them; one thread sweeps deadlines and hedges. May use {@code repair},
 * {@code replica}, {@code membership}, {@code ring}, {@code entry}, {@code clock},
 * {@code meter} and the results of {@code storage}; knows neither HTTP nor files nor
 * bytes on the wire.
 */
@NullMarked
@ApplicationModule(allowedDependencies = { "repair", "replica", "membership :: layout", "membership :: members", "ring",
		"storage", "entry", "clock", "meter" })
package io.quorate.coordinator;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
