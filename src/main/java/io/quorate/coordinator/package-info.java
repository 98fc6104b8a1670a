/**
 * Quorum reads, writes and scans: a request is planned once
 * ({@link io.quorate.coordinator.ReplicaPlan}), sent to all its replicas, and answered by
 * the merge of their replies as soon as a pure tally says so.
 * <p>
 * Promises that an answered or abandoned write goes on at every replica that was asked,
 * that every request ends by its deadline, and that requests and bytes in flight are
 * bounded ({@link io.quorate.coordinator.Admission}). Replies are merged on the thread
 * that brings them; one thread sweeps deadlines. May use {@code replica}, {@code entry},
 * {@code clock} and the results of {@code storage}; knows neither HTTP nor files nor
 * bytes on the wire.
 */
@NullMarked
@ApplicationModule(allowedDependencies = { "replica", "storage", "entry", "clock" })
package io.quorate.coordinator;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
