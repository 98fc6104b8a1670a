package io.quorate.repair.antientropy;

import java.util.function.LongSupplier;

import io.quorate.replica.Replica;
import io.quorate.replica.comparison.PeerComparison;

/**
 * A peer as comparisons led by this node need it.
 *
 * @param latencyNanos time that the peer takes at present to answer a small request
 */
record ComparisonPeer(PeerComparison comparison, Replica replica, LongSupplier latencyNanos) {

	String id() {
		return this.replica.nodeId();
	}

}
