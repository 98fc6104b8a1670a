package io.quorate.repair.antientropy;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * The settings of comparisons.
 *
 * @param enabled whether this node compares its store with its peers' by itself;
 * requested comparisons it makes in any case
 * @param interval time between the end of a comparison with a peer and the beginning of
 * the next one
 * @param bytesPerSecond bytes that comparisons led by this node may read of its keys and
 * send or receive in a second
 * @param share part of the time in which a comparison led by this node may work; the rest
 * is left to clients
 * @param moveBytesPerSecond bytes that this node may read, send or receive in a second
 * while it copies what it gains in a change of members
 * @param moveShare part of the time in which such a copy may work
 */
@Validated
@ConfigurationProperties("quorate.repair")
public record ComparisonProperties(@DefaultValue("true") boolean enabled, @DefaultValue("1m") Duration interval,
		@DefaultValue("16MB") DataSize bytesPerSecond, @DefaultValue("0.2") double share,
		@DefaultValue("32MB") DataSize moveBytesPerSecond, @DefaultValue("0.6") double moveShare) {

	private static final Duration SHORTEST = Duration.ofMillis(100);

	private static final DataSize LEAST_RATE = DataSize.ofKilobytes(64);

	private static final double LEAST_SHARE = 0.01;

	public ComparisonProperties {
		if (interval.compareTo(SHORTEST) < 0) {
			throw new IllegalArgumentException("quorate.repair.interval must be at least 100ms, not " + interval);
		}
		requireRate("quorate.repair.bytes-per-second", bytesPerSecond);
		requireRate("quorate.repair.move-bytes-per-second", moveBytesPerSecond);
		requireShare("quorate.repair.share", share);
		requireShare("quorate.repair.move-share", moveShare);
	}

	private static void requireRate(String name, DataSize rate) {
		if (rate.toBytes() < LEAST_RATE.toBytes()) {
			throw new IllegalArgumentException("%s must be at least 64KB, not %s".formatted(name, rate));
		}
	}

	private static void requireShare(String name, double share) {
		if (!(share >= LEAST_SHARE && share <= 1)) {
			throw new IllegalArgumentException("%s must be from %s to 1, not %s".formatted(name, LEAST_SHARE, share));
		}
	}

}
