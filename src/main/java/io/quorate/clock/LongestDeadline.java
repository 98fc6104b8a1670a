package io.quorate.clock;

import java.time.Duration;

/**
 * The longest time that a request of a client may take: after it nothing is under way any
 * more that began before.
 */
public record LongestDeadline(Duration time) {
}
