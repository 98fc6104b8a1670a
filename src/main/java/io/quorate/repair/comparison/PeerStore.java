package io.quorate.repair.comparison;

import java.util.List;

import io.quorate.entry.Key;
import io.quorate.replica.comparison.ComparisonResult;
import io.quorate.replica.comparison.RangeHash;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.ScanPage.Item;
import io.quorate.storage.ScanPage;
import org.jspecify.annotations.Nullable;

/**
 * The store of the other node of a round, for threads that may block; see
 * {@link io.quorate.replica.comparison.PeerComparison}. Every method throws a
 * {@link ComparisonFailedException} when there is no answer, or a wrong one.
 */
public interface PeerStore {

	/** Returns the ranges that differ. */
	ComparisonResult compare(List<RangeHash> ranges);

	/** Reads headers. */
	HeaderPage headers(Key start, @Nullable Key end);

	/** Reads entries. */
	ScanPage fetch(List<Key> keys);

	/** Returns when the node holds the entries, or newer ones, durably. */
	void apply(List<Item> entries);

}
