package io.quorate.coordinator;

import java.util.List;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import reactor.core.publisher.Mono;

/**
 * A scan of a key range under way: a cursor that one caller at a time asks for one page
 * after another. Nothing is read ahead of demand.
 */
public interface RangeScan extends AutoCloseable {

	/**
	 * The next records in key order, at least one; empty at the end of the range. Starts
	 * when subscribed; the caller asks for a page only when the one before has come.
	 * Fails with {@link QuorumNotReachedException} when some key does not reach its
	 * quorum in time, with {@link RefusedException} when a bound was reached.
	 * @param keepsEarlier whether the caller keeps the records that it has got so far, so
	 * that they go on counting, and the deadline of the page before is that of this one
	 */
	Mono<List<Row>> nextPage(boolean keepsEarlier);

	/** The next records, for a caller that has no use for those before any more. */
	default Mono<List<Row>> nextPage() {
		return nextPage(false);
	}

	/** Ends the scan: the caller asks for no page any more. */
	@Override
	void close();

	/** A live entry of the range that has not expired, with its key. */
	record Row(Key key, Entry.Live entry) {

		/** Number of bytes of its key and value. */
		public long sizeBytes() {
			return (long) this.key.size() + this.entry.value().size();
		}

	}

}
