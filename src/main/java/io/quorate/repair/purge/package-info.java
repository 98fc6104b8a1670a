/**
 * The purge of deletions ({@link io.quorate.repair.purge.ClusterPurgePolicy}), and the
 * rebuild of a node that has lost data, the state {@code rebuilding}
 * ({@link io.quorate.repair.purge.Rebuild}).
 * <p>
 * Promises that no entry is purged before each other replica of its key has agreed in a
 * comparison made while this node held the entry; that the purge horizon is on the disk
 * ({@code HORIZON}) before any purge up to it; and that a node of which a peer remembers
 * more than it has itself answers no read before it has copied from every member that
 * shares a partition with it. One thread writes the files, one rebuilds; methods that
 * event loops call read memory only. The rules were checked by a model,
 * {@code src/model}.
 */
@NullMarked
@NamedInterface("purge")
package io.quorate.repair.purge;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
