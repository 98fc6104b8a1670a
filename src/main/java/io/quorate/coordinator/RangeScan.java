package io.quorate.coordinator;

import java.util.List;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import reactor.core.publisher.Mono;

/**
 * A scan of a key range under way: a cursor that is asked for one page after another, by
 * one caller at a time. Nothing is read ahead of demand.
 */
public interface RangeScan extends AutoCloseable {

	/**
	 * The next records in key order, at least one; empty at the end of the range. Starts
	 * when subscribed; a page is asked for when the one before has come. Fails with
	 * {@link QuorumNotReachedException} when the quorum of some key is not to be had in
	 * time, with {@link RefusedException} when a bound was reached.
	 */
	Mono<List<Row>> nextPage();

	/** Nobody is going to ask for a page any more. */
	@Override
	void close();

	/** A record of the range that is neither deleted nor expired. */
	record Row(Key key, Entry.Live entry) {
	}

}
