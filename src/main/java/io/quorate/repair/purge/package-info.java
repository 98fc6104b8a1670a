/**
 * The purge of deletions ({@link io.quorate.repair.purge.ClusterPurgePolicy}).
 * <p>
 * Promises that no entry is purged before each other replica of its key has agreed in a
 * comparison made while this node held the entry, and that the purge horizon is on the
 * disk ({@code HORIZON}) before any purge up to it. Methods that event loops call read
 * memory only. The rules were checked by a model, {@code src/model}.
 */
@NullMarked
@NamedInterface("purge")
package io.quorate.repair.purge;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
