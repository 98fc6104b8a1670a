package io.quorate.coordinator;

import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.quorate.clock.SkewJudge;
import io.quorate.repair.HintSink;

/**
 * A coordinator's view of its cluster.
 *
 * @param local id of this node
 * @param lists replica set of each key by the current layout
 * @param suspects nodes that are not expected to answer soon
 * @param judge judges timestamps from the future
 * @param missed receives the writes that a replica missed
 * @param keepsContentTypes whether all members can read content types of values
 */
record ClusterView(String local, Supplier<PreferenceLists> lists, Suspects suspects, SkewJudge judge, HintSink missed,
		BooleanSupplier keepsContentTypes) {

	/** The view of a cluster whose members all keep content types. */
	ClusterView(String local, Supplier<PreferenceLists> lists, Suspects suspects, SkewJudge judge, HintSink missed) {
		this(local, lists, suspects, judge, missed, () -> true);
	}

}
