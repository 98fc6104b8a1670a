/**
 * Watches, by which clients learn of the changes of a range of keys at any node. A node
 * asks all members for what has arrived at them ({@link io.quorate.watch.Feed}), reports
 * an entry that a majority of the replicas of its key holds, and reads by a majority what
 * fewer name. What a client has missed it finds by the numbers of arrival in its cursor
 * ({@link io.quorate.watch.CatchUp}).
 * <p>
 * Promises that of each key the last entry that a majority holds is reported, per key
 * none before an older one, and nothing that no majority read would show; that a watch
 * says when that cannot be kept; and that a slow client costs bounded memory. All state
 * is of one thread. May use {@code coordinator}, {@code replica}, {@code entry},
 * {@code clock}, {@code meter} and the types of arrivals of {@code storage}; knows
 * neither HTTP nor bytes on the wire.
 */
@NullMarked
@ApplicationModule(allowedDependencies = { "coordinator", "replica", "repair", "repair :: record", "storage", "entry",
		"clock", "meter" })
package io.quorate.watch;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
