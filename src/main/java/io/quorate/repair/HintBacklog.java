package io.quorate.repair;

import java.time.Duration;

/**
 * The hints that this node still has to hand over to one member.
 *
 * @param peer id of the member
 * @param count number of hints; after the start of the process it grows until all are
 * counted
 * @param bytes their bytes on the disk
 * @param age age of the oldest hint, by the timestamp of its entry; zero when there are
 * none
 */
public record HintBacklog(String peer, long count, long bytes, Duration age) {
}
