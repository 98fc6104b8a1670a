package io.quorate.replica;

import io.quorate.clock.SkewJudge;

/**
 * The gates of a replica. Each is asked on the thread of a request, and must not wait.
 *
 * @param reads whether reads are answered
 * @param arrivals whether entries are taken
 * @param judge of the timestamps of entries, from any sender
 */
public record ReplicaGates(ReadGate reads, ArrivalFilter arrivals, SkewJudge judge) {
}
