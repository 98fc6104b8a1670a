package io.quorate.coordinator;

import io.quorate.clock.SkewJudge;
import io.quorate.repair.HintSink;

/**
 * A coordinator's view of its cluster.
 *
 * @param local id of this node
 * @param lists replica set of each key
 * @param suspects nodes that are not expected to answer soon
 * @param judge judges timestamps from the future
 * @param missed receives the writes that a replica missed
 */
record ClusterView(String local, PreferenceLists lists, Suspects suspects, SkewJudge judge, HintSink missed) {
}
