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
 * @param leaveWait time for which a stopping node waits, serving, until no other member
 * is away, about to stop, being rebuilt, or behind; at most 5m. When it is over, the node
 * stops all the same
 * @param stopLimit time that a stop may take before its supervisor kills the process, for
 * the meter and the alert that say when it gets near. With
 * {@link ScaleDownProperties#statefulSet} the process ends itself then
 */
@Validated
@ConfigurationProperties("quorate.operations")
public record OperationsProperties(@DefaultValue("0s") Duration drainDelay, @DefaultValue("0s") Duration leaveWait,
		@DefaultValue("60s") Duration stopLimit) {

	/* Below the time that Spring gives each phase of a stop, spring.lifecycle. */
	private static final Duration LONGEST_DRAIN_DELAY = Duration.ofSeconds(25);

	private static final Duration LONGEST_LEAVE_WAIT = Duration.ofMinutes(5);

	public OperationsProperties {
		if (drainDelay.isNegative() || drainDelay.compareTo(LONGEST_DRAIN_DELAY) > 0) {
			throw new IllegalArgumentException("quorate.operations.drain-delay must be between 0s and %ds, not %s"
				.formatted(LONGEST_DRAIN_DELAY.toSeconds(), drainDelay));
		}
		if (leaveWait.isNegative() || leaveWait.compareTo(LONGEST_LEAVE_WAIT) > 0) {
			throw new IllegalArgumentException("quorate.operations.leave-wait must be between 0s and %dm, not %s"
				.formatted(LONGEST_LEAVE_WAIT.toMinutes(), leaveWait));
		}
		if (stopLimit.compareTo(drainDelay.plus(leaveWait)) <= 0) {
			throw new IllegalArgumentException(
					"quorate.operations.stop-limit (%s) must be above drain-delay and leave-wait together (%s)"
						.formatted(stopLimit, drainDelay.plus(leaveWait)));
		}
	}

}
