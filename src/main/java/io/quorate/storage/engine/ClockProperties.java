package io.quorate.storage.engine;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * The clock that stamps writes.
 *
 * @param maxSkew how far a stamp may be ahead of the median of the members' clocks
 * @param dropFutureEntries whether a start leaves out for good what is on the disk and
 * stamped further ahead of this machine's clock than {@code max-skew}, instead of being
 * refused. For one start, with the clock right: what such an entry had replaced here is
 * not brought back.
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
