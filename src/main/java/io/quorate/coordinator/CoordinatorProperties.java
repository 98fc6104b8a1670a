package io.quorate.coordinator;

import java.time.Duration;

import io.quorate.clock.LongestDeadline;
import jakarta.validation.constraints.Min;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * The properties of the coordinator: the deadlines of requests, and the bounds of what is
 * in flight.
 *
 * @param timeout time from the end of a request's body to the first byte of its answer,
 * unless the client asks for another
 * @param maxTimeout the longest time that a client may ask for
 * @param maxRequests requests that may be in flight; beyond it 503
 * @param maxBytes bytes of values that may be in flight, written and read, three quarters
 * of them in requests that wait for their clients; beyond it 503; a quarter of the heap
 * when not set
 */
@Validated
@ConfigurationProperties("quorate.coordinator")
public record CoordinatorProperties(@DefaultValue("1s") Duration timeout, @DefaultValue("30s") Duration maxTimeout,
		@DefaultValue("4096") @Min(1) int maxRequests, @Nullable DataSize maxBytes) {

	public CoordinatorProperties {
		if (timeout.compareTo(Duration.ofMillis(1)) < 0) {
			throw new IllegalArgumentException("quorate.coordinator.timeout must be at least 1ms, not " + timeout);
		}
		if (maxTimeout.compareTo(timeout) < 0) {
			throw new IllegalArgumentException("quorate.coordinator.max-timeout (%s) must not be below timeout (%s)"
				.formatted(maxTimeout, timeout));
		}
		if (maxTimeout.compareTo(LongestDeadline.MOST) > 0) {
			throw new IllegalArgumentException(
					"quorate.coordinator.max-timeout (%s) must not be above %s: purges and rebuilds wait for it"
						.formatted(maxTimeout, LongestDeadline.MOST));
		}
	}

	/** The bound on bytes in flight, in bytes. */
	long maxBytesOrDefault() {
		return (this.maxBytes != null) ? this.maxBytes.toBytes() : Runtime.getRuntime().maxMemory() / 4;
	}

}
