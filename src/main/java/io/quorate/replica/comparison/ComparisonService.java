package io.quorate.replica.comparison;

/** This node as the asked side of comparisons that its peers lead. Must not block. */
@FunctionalInterface
public interface ComparisonService {

	/** The asked side for one peer. */
	PeerComparison with(String peer);

}
