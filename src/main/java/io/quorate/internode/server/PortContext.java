package io.quorate.internode.server;

import io.micrometer.core.instrument.Counter;
import io.quorate.internode.context.PeerContext;
import io.quorate.security.RefusalLog;

/**
 * The parts of this node's port that all its connections share.
 *
 * @param context context of all connections of this node
 * @param refusals log of the connections that are refused
 * @param shares quotas of the peers
 * @param expired counter of the requests that came too late
 * @param listener hears of each peer that has reached this node
 */
record PortContext(PeerContext context, ServedReplica servedReplica, RefusalLog refusals, PeerQuotas shares,
		Counter expired, HandshakeListener listener) {
}
