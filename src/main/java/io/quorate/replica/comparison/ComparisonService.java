package io.quorate.replica.comparison;

import io.quorate.replica.Failure;
import io.quorate.replica.Failure.Reason;

/** This node as the one that its peers compare their stores with. Must not block. */
@FunctionalInterface
public interface ComparisonService {

	/** A node that compares with nobody. */
	ComparisonService NONE = (peer) -> PeerComparison.failing(peer,
			new Failure(Reason.FAILED, "this node does not compare its store"));

	/** What a peer asks. */
	PeerComparison with(String peer);

}
