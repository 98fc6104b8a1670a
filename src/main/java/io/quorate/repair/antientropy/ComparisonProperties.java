package io.quorate.repair.antientropy;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.ConstructorBinding;
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
public record ComparisonProperties(boolean enabled, Duration interval, DataSize bytesPerSecond, double share,
		DataSize moveBytesPerSecond, double moveShare) {

	private static final Duration SHORTEST = Duration.ofMillis(100);

	private static final DataSize BYTES_PER_SECOND = DataSize.ofMegabytes(16);

	private static final double SHARE = 0.2;

	private static final DataSize MOVE_BYTES_PER_SECOND = DataSize.ofMegabytes(32);

	private static final double LEAST_SHARE = 0.01;

	public ComparisonProperties {
		if (interval.compareTo(SHORTEST) < 0) {
			throw new IllegalArgumentException("quorate.repair.interval must be at least 100ms, not " + interval);
		}
		if (!(moveShare >= LEAST_SHARE && moveShare <= 1)) {
			throw new IllegalArgumentException(
					"quorate.repair.move-share must be from %s to 1, not %s".formatted(LEAST_SHARE, moveShare));
		}
	}

	/** The properties that can be set; the others are fixed. */
	@ConstructorBinding
	public ComparisonProperties(@DefaultValue("true") boolean enabled, @DefaultValue("1m") Duration interval,
			@DefaultValue("0.6") double moveShare) {
		this(enabled, interval, BYTES_PER_SECOND, SHARE, MOVE_BYTES_PER_SECOND, moveShare);
	}

}
