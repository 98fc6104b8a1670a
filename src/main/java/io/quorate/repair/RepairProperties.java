package io.quorate.repair;

import java.time.Duration;

import jakarta.validation.Valid;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * The settings of hints and purges.
 *
 * @param hintWindow time after its write in which a hint may still be handed over; an
 * older one is dropped
 * @param gracePeriod least time for which a tombstone, or an expired entry, is kept:
 * above the hint window
 * @param hints the writes that are kept for a replica that has missed them
 */
@Validated
@ConfigurationProperties("quorate.repair")
public record RepairProperties(@DefaultValue("3h") Duration hintWindow, @DefaultValue("10d") Duration gracePeriod,
		@DefaultValue @Valid Hints hints) {

	public RepairProperties {
		if (hintWindow.compareTo(Duration.ofSeconds(1)) < 0) {
			throw new IllegalArgumentException("quorate.repair.hint-window must be at least 1s, not " + hintWindow);
		}
		if (hintWindow.compareTo(gracePeriod) >= 0) {
			throw new IllegalArgumentException(
					"quorate.repair.hint-window (%s) must be below quorate.repair.grace-period (%s): a hint older than that could bring back what was deleted"
						.formatted(hintWindow, gracePeriod));
		}
	}

	/**
	 * The settings of hints: writes that are kept for a replica that has missed them.
	 *
	 * @param enabled whether hints are kept and handed over
	 * @param maxBytesPerPeer bytes on the disk of the hints for one peer; beyond it new
	 * ones are dropped
	 * @param bytesPerSecond bytes of hints that are handed over to one peer in a second,
	 * at most
	 * @param queueBytes bytes of hints that may wait in memory to be written; beyond it
	 * new ones are dropped
	 */
	public record Hints(@DefaultValue("true") boolean enabled, @DefaultValue("1GB") DataSize maxBytesPerPeer,
			@DefaultValue("8MB") DataSize bytesPerSecond, @DefaultValue("32MB") DataSize queueBytes) {

		public Hints {
			requireAtLeast("max-bytes-per-peer", maxBytesPerPeer, DataSize.ofMegabytes(1));
			requireAtLeast("bytes-per-second", bytesPerSecond, DataSize.ofKilobytes(64));
			requireAtLeast("queue-bytes", queueBytes, DataSize.ofKilobytes(64));
		}

		private static void requireAtLeast(String name, DataSize value, DataSize least) {
			if (value.compareTo(least) < 0) {
				throw new IllegalArgumentException("quorate.repair.hints.%s must be at least %d bytes, not %d"
					.formatted(name, least.toBytes(), value.toBytes()));
			}
		}

	}

}
