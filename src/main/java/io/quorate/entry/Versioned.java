package io.quorate.entry;

import java.util.Comparator;
import java.util.List;

import io.quorate.clock.Timestamp;
import org.jspecify.annotations.Nullable;

/**
 * The properties of an entry that decide a merge before its bytes do, in whatever form
 * the entry is held.
 */
public interface Versioned {

	/** The expiry of an entry that does not expire. */
	long NEVER = Long.MAX_VALUE;

	/** Timestamp of the write, or of the last time that it was carried on. */
	Timestamp timestamp();

	/** Its place in the history of its key, {@code null} for a plain write. */
	@Nullable Lineage lineage();

	/** The writes in its history that clients may repeat, the newest first. */
	default List<Lineage.Repeatable> repeatable() {
		Lineage lineage = lineage();
		return (lineage != null) ? lineage.repeatable() : List.of();
	}

	/**
	 * The version that clients see: the timestamp, unless the entry was carried on under
	 * a later one.
	 */
	default Timestamp version() {
		Lineage lineage = lineage();
		return (lineage != null) ? lineage.version() : timestamp();
	}

	/**
	 * The version of what it was written on, {@link Timestamp#ZERO} when nothing was
	 * held; {@code null} when that is not known.
	 */
	default @Nullable Timestamp parent() {
		Lineage lineage = lineage();
		return (lineage != null) ? lineage.parent() : null;
	}

	/** Number of nodes that the entry was written to: the {@code from} of its request. */
	int from();

	/** Whether it marks a deletion. */
	boolean isTombstone();

	/**
	 * The instant from which on it reads as absent, in milliseconds since the epoch, or
	 * {@link #NEVER}.
	 */
	long expiryMillis();

	/** Whether it reads as absent at an instant of the hybrid clock. */
	default boolean isAbsentAt(long nowMillis) {
		return isTombstone() || expiryMillis() <= nowMillis;
	}

	/**
	 * The order of merge: the later timestamp; on a tie the tombstone, then the earlier
	 * expiry, then the larger value bytes, then the later content type. Positive when
	 * {@code left} wins. The lineage decides nothing: the timestamp is of one write or
	 * round.
	 * <p>
	 * Total, and independent of the present time, so that merging is commutative,
	 * associative and idempotent.
	 * @param byValue compares the values of two live entries, and their content types;
	 * asked only when nothing else decides
	 */
	static <E extends Versioned> int compare(E left, E right, Comparator<? super E> byValue) {
		int order = left.timestamp().compareTo(right.timestamp());
		if (order == 0) {
			order = Boolean.compare(left.isTombstone(), right.isTombstone());
		}
		if (order == 0) {
			order = Long.compare(right.expiryMillis(), left.expiryMillis());
		}
		return (order == 0 && !left.isTombstone()) ? byValue.compare(left, right) : order;
	}

	/** The one of two that {@link #compare} prefers; the first when they are equal. */
	static <E extends Versioned> E winner(E left, E right, Comparator<? super E> byValue) {
		return (compare(left, right, byValue) >= 0) ? left : right;
	}

}
