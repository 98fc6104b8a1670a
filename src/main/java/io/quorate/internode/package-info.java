/**
 * The connections between nodes: a port of their own, and a binary protocol of our own
 * over TCP.
 * <p>
 * {@link io.quorate.internode.peer.PeerReplica} is a peer as a replica,
 * {@link io.quorate.internode.server.InternodeServer} this node's replica for its peers,
 * {@link io.quorate.internode.wiring.Internode} makes both. The module promises that a
 * request has one outcome, at its deadline at the latest; that it fails at once where
 * there is no connection or no room, and that requests to one peer take no room of
 * another; that values above 64 KB delay no small message; that nodes of this protocol
 * and of the version before serve each other; and that nodes of another cluster or
 * layout, without a common version, or with another id than expected, are refused.
 * <p>
 * Messages travel in frames, of which a connection sends those of one turn together
 * ({@link io.quorate.internode.frame.FrameConnection}).
 * <p>
 * HTTP and internode run on one set of event loops, which never block, with a connection
 * per peer and loop for small messages and one per peer for large values. The only module
 * that knows Netty's buffers. May use {@code replica}, {@code membership},
 * {@code consensus}, {@code storage}, {@code security}, {@code entry}, {@code clock} and
 * {@code meter}.
 */
@NullMarked
@ApplicationModule(allowedDependencies = { "replica", "replica :: comparison", "membership :: agreement",
		"membership :: change", "membership :: exchange", "membership :: layout", "membership :: members",
		"membership :: reports", "consensus", "storage", "security", "entry", "clock", "meter" })
package io.quorate.internode;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
