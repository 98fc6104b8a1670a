package io.quorate.coordinator;

import io.quorate.clock.SkewJudge;
import io.quorate.repair.HintSink;

/**
 * What a coordinator knows of its cluster.
 *
 * @param local id of this node
 * @param lists which nodes hold a key
 * @param suspects which nodes are not expected to answer soon
 * @param judge of stamps from the future
 * @param missed is told of writes that a replica missed
 */
record ClusterView(String local, PreferenceLists lists, Suspects suspects, SkewJudge judge, HintSink missed) {
}
