/**
 * The warm-up of a node: before it serves clients, it does requests for itself, so that
 * the classes of a request are loaded and its code is compiled when the first client
 * comes.
 * <p>
 * The requests take the whole way: HTTP over loopback, coordination of three replicas,
 * two of which are reached through connections of the process to itself, and a small
 * store, with log, flushes, tables and compactions. Promises that they touch neither the
 * data of the node nor its peers, that nothing of them stays on the disk, that the meters
 * of clients do not see them, that they end within a limit, and that a node starts
 * without them where they fail. The threads of its clients are virtual and end with it.
 * May use {@code api}, {@code coordinator}, {@code internode}, {@code ring},
 * {@code storage} and {@code clock}.
 */
@NullMarked
@ApplicationModule(
		allowedDependencies = { "api", "coordinator", "internode", "ring", "storage", "storage :: thread", "clock" })
package io.quorate.warmup;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
