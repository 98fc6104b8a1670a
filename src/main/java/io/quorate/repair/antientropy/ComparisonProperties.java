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
 * @param rebuildShare the same while this node is rebuilt from another
 */
@Validated
@ConfigurationProperties("quorate.repair")
public record ComparisonProperties(@DefaultValue("true") boolean enabled, @DefaultValue("1m") Duration interval,
		@DefaultValue("16MB") DataSize bytesPerSecond, @DefaultValue("0.2") double share,
		@DefaultValue("0.6") double rebuildShare) {

	private static final Duration SHORTEST = Duration.ofMillis(100);

	private static final double LEAST_SHARE = 0.01;

	public ComparisonProperties {
		if (interval.compareTo(SHORTEST) < 0) {
			throw new IllegalArgumentException("quorate.repair.interval must be at least 100ms, not " + interval);
		}
		if (bytesPerSecond.toBytes() < DataSize.ofKilobytes(64).toBytes()) {
			throw new IllegalArgumentException(
					"quorate.repair.bytes-per-second must be at least 64KB, not " + bytesPerSecond);
		}
		requireShare("quorate.repair.share", share);
		requireShare("quorate.repair.rebuild-share", rebuildShare);
	}

	private static void requireShare(String name, double share) {
		if (!(share >= LEAST_SHARE && share <= 1)) {
			throw new IllegalArgumentException("%s must be from %s to 1, not %s".formatted(name, LEAST_SHARE, share));
		}
	}

}
