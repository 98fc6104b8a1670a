/**
 * Repair of replicas: hints for the writes that a replica has missed, and their handoff
 * ({@link io.quorate.repair.HintSink}, {@link io.quorate.repair.HintBacklog});
 * comparisons of whole stores ({@code antientropy}, by the rules of {@code comparison});
 * the purge of old deletions ({@code purge}), the rebuild of a node that has lost data
 * ({@code rebuild}), and the records of both ({@code record}).
 * <p>
 * Promises that nothing here ever fails, blocks or answers a client's request: beyond its
 * bounds work is left out and counted. Each kind of repair has threads of its own, and
 * yields to the requests of clients. May use {@code internode}, {@code replica},
 * {@code membership}, {@code ring}, {@code storage} (its interface, and its formats of
 * files and log records), {@code entry}, {@code clock} and {@code meter}; does not know
 * HTTP.
 */
@NullMarked
@ApplicationModule(allowedDependencies = { "internode", "internode :: peer", "replica", "replica :: comparison",
		"membership :: agreement", "membership :: exchange", "membership :: layout", "membership :: members",
		"membership :: reports", "ring", "security", "storage", "storage :: file", "storage :: record",
		"storage :: log", "storage :: thread", "entry", "clock", "meter" })
package io.quorate.repair;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
