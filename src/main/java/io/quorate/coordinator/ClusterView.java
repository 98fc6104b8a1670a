package io.quorate.coordinator;

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
 */
record ClusterView(String local, Supplier<PreferenceLists> lists, Suspects suspects, SkewJudge judge, HintSink missed) {
}
