package io.quorate.repair;

import java.time.Duration;

import jakarta.validation.Valid;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.ConstructorBinding;
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
	public record Hints(boolean enabled, DataSize maxBytesPerPeer, DataSize bytesPerSecond, DataSize queueBytes) {

		private static final DataSize LEAST_BYTES_PER_PEER = DataSize.ofMegabytes(1);

		private static final DataSize BYTES_PER_SECOND = DataSize.ofMegabytes(8);

		private static final DataSize QUEUE_BYTES = DataSize.ofMegabytes(32);

		public Hints {
			if (maxBytesPerPeer.compareTo(LEAST_BYTES_PER_PEER) < 0) {
				throw new IllegalArgumentException(
						"quorate.repair.hints.max-bytes-per-peer must be at least %d bytes, not %d"
							.formatted(LEAST_BYTES_PER_PEER.toBytes(), maxBytesPerPeer.toBytes()));
			}
		}

		/** The properties that can be set; the others are fixed. */
		@ConstructorBinding
		public Hints(@DefaultValue("true") boolean enabled, @DefaultValue("1GB") DataSize maxBytesPerPeer) {
			this(enabled, maxBytesPerPeer, BYTES_PER_SECOND, QUEUE_BYTES);
		}

	}

}
