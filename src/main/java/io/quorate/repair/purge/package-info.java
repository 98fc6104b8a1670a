/**
 * What may be forgotten, and what a node must fetch anew: purge of deletions
 * ({@link io.quorate.repair.purge.ClusterPurgePolicy}), and the state {@code rebuilding}
 * ({@link io.quorate.repair.purge.Rebuild}).
 * <p>
 * Promises that nothing is purged before each other replica of its key has agreed in a
 * comparison made while this node held it; that what may have been purged is on the disk
 * ({@code HORIZON}) before it is; and that a node of which a peer remembers more than it
 * has itself answers no read before it has copied from every member that shares a
 * partition with it. One thread keeps the files, one rebuilds; what is asked on event
 * loops looks at memory only. The rules were checked by a model, {@code src/model}.
 */
@NullMarked
@NamedInterface("purge")
package io.quorate.repair.purge;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
