/**
 * Backups of a node: snapshots of its store, the number that is kept, and the restoration
 * of one. Also the other work on directories of stopped nodes that concerns a cluster as
 * a whole: its recovery when a majority is lost for good.
 * <p>
 * Promises that a backup is complete or absent, that it can be restored by itself, and
 * that no more are kept than configured. One thread, which lives while a backup is taken
 * or deleted. May use {@code repair} (its files that belong to a backup beside the
 * store), {@code membership}, {@code storage}, {@code clock} and {@code meter}; sees no
 * HTTP.
 */
@NullMarked
@ApplicationModule(allowedDependencies = { "repair :: record", "membership :: agreement", "membership :: layout",
		"membership :: members", "storage", "storage :: file", "storage :: snapshot", "storage :: restore", "clock",
		"meter" })
package io.quorate.backup;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
