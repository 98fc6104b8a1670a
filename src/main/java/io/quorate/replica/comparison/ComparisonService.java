package io.quorate.replica.comparison;

import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;

/** This node as the asked side of comparisons that its peers lead. Must not block. */
@FunctionalInterface
public interface ComparisonService {

	/** A node that refuses every comparison. */
	ComparisonService NONE = (peer) -> PeerComparison.failing(peer,
			new Failure(Reason.FAILED, "this node does not compare its store"));

	/** The asked side for one peer. */
	PeerComparison with(String peer);

}
