package io.quorate.coordinator;

import java.time.Duration;

import io.quorate.clock.LongestDeadline;
import jakarta.validation.constraints.Min;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.ConstructorBinding;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * The properties of the coordinator.
 *
 * @param timeout time from the end of a request's body to the first byte of its answer,
 * unless the client asks for another
 * @param maxTimeout the longest time that a client may ask for
 * @param maxRequests requests that may be in flight; beyond it 503
 * @param maxBytes bytes of values that may be in flight, written and read, three quarters
 * of them in requests that wait for their clients; beyond it 503; a quarter of the heap
 * when not set
 * @param readContacts replicas that a read asks first: {@code best-first} the best ones,
 * as many as must answer, and more when one is slow or fails; {@code all} all that hold
 * copies, at once
 * @param digestAbove a value of more bytes is sent only by the best of those replicas;
 * the rest send a digest, and are asked for the value if no other replica has it;
 * {@code 0} for every value, more than the largest value may have for none
 */
@Validated
@ConfigurationProperties("quorate.coordinator")
public record CoordinatorProperties(Duration timeout, Duration maxTimeout, @Min(1) int maxRequests,
		@Nullable DataSize maxBytes, ReadContacts readContacts, DataSize digestAbove) {

	private static final DataSize DIGEST_ABOVE = DataSize.ofKilobytes(16);

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

	/** The properties that can be set; the others are fixed. */
	@ConstructorBinding
	public CoordinatorProperties(@DefaultValue("1s") Duration timeout, @DefaultValue("30s") Duration maxTimeout,
			@DefaultValue("4096") int maxRequests, @Nullable DataSize maxBytes) {
		this(timeout, maxTimeout, maxRequests, maxBytes, ReadContacts.BEST_FIRST, DIGEST_ABOVE);
	}

	/** The policy by which reads ask replicas. */
	ReadPolicy readPolicy() {
		return new ReadPolicy(this.readContacts, (int) Math.min(this.digestAbove.toBytes(), Integer.MAX_VALUE));
	}

	/** The bound on bytes in flight, in bytes. */
	long maxBytesOrDefault() {
		return (this.maxBytes != null) ? this.maxBytes.toBytes() : Runtime.getRuntime().maxMemory() / 4;
	}

}
