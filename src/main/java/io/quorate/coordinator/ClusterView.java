package io.quorate.coordinator;

import java.util.List;
import java.util.function.Supplier;

import io.quorate.clock.SkewJudge;
import io.quorate.clock.TrueTime;
import io.quorate.repair.HintSink;
import io.quorate.replica.Replica;

/**
 * A coordinator's view of its cluster.
 *
 * @param local id of this node
 * @param lists replica set of each key by the current layout
 * @param suspects nodes that are not expected to answer soon
 * @param judge judges timestamps from the future
 * @param trueTime the time on which the members' clocks agree
 * @param missed receives the writes that a replica missed
 */
record ClusterView(String local, Supplier<PreferenceLists> lists, Suspects suspects, SkewJudge judge, TrueTime trueTime,
		HintSink missed) {

	/**
	 * The time on which the members agree, in milliseconds since the epoch, or
	 * {@link TrueTime#UNKNOWN}.
	 */
	long trueMillis() {
		return this.trueTime.millis(members(), this.local);
	}

	/**
	 * As {@link #trueMillis()}, by a clock that was read since an instant.
	 * @param sinceNanos the instant, by {@link #bootNanos}
	 */
	long trueMillisSince(long sinceNanos) {
		return this.trueTime.millisSince(members(), this.local, sinceNanos);
	}

	/** The clock by which readings of the members' clocks are aged. */
	long bootNanos() {
		return this.trueTime.nanos();
	}

	private List<String> members() {
		return this.lists.get().allReplicas().stream().map(Replica::nodeId).toList();
	}

}
