package io.quorate.storage.directory;

import java.time.Duration;
import java.time.Instant;
import java.util.function.Predicate;

import io.quorate.clock.Timestamp;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.record.StoredEntry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rule for timestamps on the disk that are too far ahead of this machine's clock when
 * the store is opened. Either the start is refused, or their entries are left out for
 * good and counted. Used by one thread at a time.
 */
public final class FutureStamps implements Predicate<StoredEntry> {

	/** Refuses nothing and leaves nothing out. */
	public static final FutureStamps KEPT = new FutureStamps();

	private static final Logger log = LoggerFactory.getLogger(FutureStamps.class);

	private final long nowMillis;

	private final long maxSkewMillis;

	private final boolean dropped;

	private long count;

	private Timestamp highest = Timestamp.ZERO;

	/**
	 * The rule for a start at an instant.
	 * @param nowMillis time of this machine's clock
	 * @param dropped whether entries are left out instead of refusing the start
	 */
	public FutureStamps(long nowMillis, Duration maxSkew, boolean dropped) {
		this.nowMillis = nowMillis;
		this.maxSkewMillis = maxSkew.toMillis();
		this.dropped = dropped;
	}

	private FutureStamps() {
		this.nowMillis = 0;
		this.maxSkewMillis = Long.MAX_VALUE;
		this.dropped = false;
	}

	/** Whether a timestamp is too far ahead. */
	public boolean isBeyond(Timestamp stamp) {
		return stamp.millis() - this.nowMillis > this.maxSkewMillis;
	}

	/** Whether entries are to be left out. */
	public boolean areDropped() {
		return this.dropped;
	}

	/** Whether an entry is left out, which is counted. */
	@Override
	public boolean test(StoredEntry entry) {
		if (!this.dropped || !isBeyond(entry.timestamp())) {
			return false;
		}
		this.count++;
		this.highest = entry.timestamp().isAfter(this.highest) ? entry.timestamp() : this.highest;
		return true;
	}

	/**
	 * Refuses the start because of a timestamp that is too far ahead, unless such entries
	 * are left out.
	 * @param what name of the thing with this timestamp, and of its file
	 */
	public void require(String what, Timestamp stamp) {
		if (!this.dropped && isBeyond(stamp)) {
			throw refused(what, stamp,
					"If it is right, start once with quorate.clock.drop-future-entries=true, which leaves out for good every"
							+ " entry of this node with such a timestamp.");
		}
	}

	/**
	 * As {@link #require}, for the ceiling. The ceiling is no entry: the clock was ahead
	 * in an earlier run.
	 */
	void requireCeiling(String what, Timestamp ceiling) {
		if (!this.dropped && isBeyond(ceiling)) {
			long aheadMillis = ceiling.millis() - this.nowMillis;
			throw refused(what, ceiling,
					"If it is right, the clock was ahead when the node ran last: start it again after %s, or start it once with quorate.clock.max-skew=%ds. No entry is lost by either."
						.formatted(Instant.ofEpochMilli(ceiling.millis() - this.maxSkewMillis),
								aheadMillis / 1000 + 1));
		}
	}

	private StorageStartException refused(String what, Timestamp stamp, String ifRight) {
		return new StorageStartException(
				"%s is stamped %s (%s), which is %d ms ahead of this machine's clock, more than quorate.clock.max-skew (%d ms) permits: correct the machine's clock. %s"
					.formatted(what, stamp, Instant.ofEpochMilli(stamp.millis()), stamp.millis() - this.nowMillis,
							this.maxSkewMillis, ifRight),
				null);
	}

	/** Logs the number of entries that were left out. */
	public void report() {
		if (!this.dropped) {
			return;
		}
		if (this.count > 0) {
			log.warn("Left out {} entries from the future for good; the highest timestamp was {} ({})", this.count,
					this.highest, Instant.ofEpochMilli(this.highest.millis()));
		}
		log.warn("quorate.clock.drop-future-entries is set; remove it, or a later start with the system clock set back "
				+ "leaves out good entries");
	}

}
