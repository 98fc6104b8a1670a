package io.quorate.operations;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * The times of a node's stop.
 *
 * @param drainDelay time for which a stopping node still serves everything, not ready any
 * more, so that clients and peers go elsewhere first; at most 25 s
 */
@Validated
@ConfigurationProperties("quorate.operations")
public record OperationsProperties(@DefaultValue("0s") Duration drainDelay) {

	/* Below the time that Spring gives each phase of a stop, spring.lifecycle. */
	private static final Duration LONGEST_DRAIN_DELAY = Duration.ofSeconds(25);

	public OperationsProperties {
		if (drainDelay.isNegative() || drainDelay.compareTo(LONGEST_DRAIN_DELAY) > 0) {
			throw new IllegalArgumentException("quorate.operations.drain-delay must be between 0s and %ds, not %s"
				.formatted(LONGEST_DRAIN_DELAY.toSeconds(), drainDelay));
		}
	}

}
