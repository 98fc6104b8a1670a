package io.quorate.coordinator;

import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * The replicas that a coordinator asks for their timestamps, and those of them that have
 * reported one. Safe for any number of threads.
 */
final class HeardReplicas {

	private final List<QuorumSide> sides;

	private final BitSet silent = new BitSet();

	private final BitSet heard = new BitSet();

	/** Creates a tally without reports. */
	HeardReplicas(List<QuorumSide> sides, Collection<Integer> asked) {
		this.sides = sides;
		asked.forEach(this.silent::set);
	}

	/** Notes the answer of a replica: whether it reports its timestamp. */
	synchronized void answered(int replica, boolean isHeard) {
		this.silent.clear(replica);
		this.heard.set(replica, isHeard);
	}

	/** Whether every majority of each side includes one that has reported. */
	synchronized boolean isEnough() {
		return isEnough(this.heard);
	}

	/**
	 * Whether the answers still to come may make it enough.
	 * @param isUp whether a silent replica is expected to answer
	 */
	synchronized boolean mayBeEnough(IntPredicate isUp) {
		BitSet expected = (BitSet) this.heard.clone();
		this.silent.stream().filter(isUp).forEach(expected::set);
		return isEnough(expected);
	}

	private boolean isEnough(BitSet replicas) {
		return this.sides.stream().allMatch((side) -> replicas.stream().filter(side::asks).count() >= side.heard());
	}

}
