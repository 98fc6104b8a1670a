package io.quorate.warmup;

import java.time.Duration;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * The warm-up before a node serves clients.
 *
 * @param requests number of requests that the node does for itself; 0 for no warm-up
 * @param limit time after which it sends no more of them; at most 1m
 */
@Validated
@ConfigurationProperties("quorate.warm-up")
record WarmUpProperties(@DefaultValue("3000") @Min(0) @Max(1_000_000) int requests,
		@DefaultValue("300ms") Duration limit) {

	private static final Duration MOST = Duration.ofMinutes(1);

	WarmUpProperties {
		if (limit.isNegative() || limit.compareTo(MOST) > 0) {
			throw new IllegalArgumentException("quorate.warm-up.limit must be between 0 and 1m, not " + limit);
		}
	}

}
