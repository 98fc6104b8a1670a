/**
 * The rebuild of a node that has lost data, the state {@code rebuilding}
 * ({@link io.quorate.repair.rebuild.Rebuild}), and the detection of the loss: nodes
 * report their data status to each other
 * ({@link io.quorate.repair.rebuild.PeerStatusTracker}).
 * <p>
 * Promises that a node of which a peer remembers more than it has itself answers no read
 * before it has copied from every member that shares a partition with it. One thread
 * rebuilds, one writes the records; methods that event loops call read memory only.
 */
@NullMarked
@NamedInterface("rebuild")
package io.quorate.repair.rebuild;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
