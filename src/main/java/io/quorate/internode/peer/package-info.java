/**
 * The connections that this node makes: a peer as a replica
 * ({@link io.quorate.internode.peer.PeerReplica}), its channels, the requests in flight,
 * and the detector of its failure. A request has one outcome, at its deadline at the
 * latest.
 */
@NullMarked
@NamedInterface("peer")
package io.quorate.internode.peer;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
