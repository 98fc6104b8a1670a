package io.quorate.repair;

import java.time.Duration;

/**
 * What this node has still to hand over to a member.
 *
 * @param peer id of the member
 * @param count hints; at the start of the process it grows until all are counted
 * @param bytes what they take on the disk
 * @param age of the oldest, by the stamp of its entry; zero when there are none
 */
public record HintBacklog(String peer, long count, long bytes, Duration age) {
}
