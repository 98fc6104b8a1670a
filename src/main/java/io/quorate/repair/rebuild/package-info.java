/**
 * The rebuild of a node that has lost data, the state {@code rebuilding}
 * ({@link io.quorate.repair.rebuild.Rebuild}), and the detection of the loss: nodes
 * report their data status to each other
 * ({@link io.quorate.repair.rebuild.PeerStatusTracker}). Members count the restorations
 * of the whole cluster ({@link io.quorate.repair.rebuild.Incarnations}), and believe each
 * other only in one incarnation. The commands of an operator
 * ({@link io.quorate.repair.rebuild.OperatorCommands}) begin an incarnation or a rebuild,
 * end a rebuild, or declare a member lost.
 * <p>
 * Promises that a node of which a peer in its incarnation remembers more than it has
 * itself answers no read before it has copied from every member that shares a partition
 * with it, unless an operator, or a new incarnation, ends the rebuild early. One thread
 * rebuilds, one writes the records; methods that event loops call read memory only.
 */
@NullMarked
@NamedInterface("rebuild")
package io.quorate.repair.rebuild;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
