package io.quorate.storage.engine;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * The properties of the clock that gives writes their timestamps.
 *
 * @param maxSkew largest lead of a timestamp over the median of the members' clocks
 * @param dropFutureEntries whether a start drops for good the entries on the disk whose
 * timestamps are ahead of this machine's clock by more than {@code max-skew}, instead of
 * being refused. For one start, with the clock right: an entry that such an entry had
 * replaced here does not come back.
 */
@Validated
@ConfigurationProperties("quorate.clock")
record ClockProperties(@DefaultValue("60s") Duration maxSkew, @DefaultValue("false") boolean dropFutureEntries) {

	ClockProperties {
		if (maxSkew.compareTo(Duration.ofSeconds(10)) < 0) {
			throw new IllegalArgumentException(
					"quorate.clock.max-skew must be at least 10s, which a restart may need, not " + maxSkew);
		}
	}

}
