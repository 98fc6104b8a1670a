package io.quorate.coordinator;

import java.util.List;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Summary;
import io.quorate.entry.Versioned;
import io.quorate.storage.HeaderPage;
import reactor.core.publisher.Mono;

/**
 * A scan of a key range under way: a cursor that one caller at a time asks for one page
 * after another. Nothing is read ahead of demand.
 */
public interface RangeScan extends AutoCloseable {

	/**
	 * The next records in the order of the range, at least one; empty at the end of the
	 * range. Starts when subscribed; the caller asks for a page only when the one before
	 * has come. Fails with {@link QuorumNotReachedException} when some key does not reach
	 * its quorum in time, with {@link RefusedException} when a bound was reached.
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

	/** A record of the range: a key whose entry is live and has not expired. */
	sealed interface Row {

		Key key();

		/** Its entry or, in a scan without values, the summary of it. */
		Versioned state();

		/** Approximate bytes of memory that it takes. */
		long sizeBytes();

	}

	/** A key with its entry. */
	record Found(Key key, Entry.Live entry) implements Row {

		@Override
		public Entry.Live state() {
			return this.entry;
		}

		@Override
		public long sizeBytes() {
			return (long) this.key.size() + this.entry.value().size();
		}

	}

	/** A key with the summary of its entry, in a scan without values. */
	record Listed(Key key, Summary summary) implements Row {

		@Override
		public Summary state() {
			return this.summary;
		}

		@Override
		public long sizeBytes() {
			return (long) this.key.size() + HeaderPage.Header.OVERHEAD_BYTES;
		}

	}

}
