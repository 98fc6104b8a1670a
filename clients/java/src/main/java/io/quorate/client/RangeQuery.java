package io.quorate.client;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

/** The bounds of a range of keys, or of the rest of one. */
public final class RangeQuery {

	static final String FIRST_KEY = "\0";

	private static final int PAGE_SIZE = 1_000;

	private static final RangeQuery ALL = new RangeQuery(new Bounds(null, null, null, null), false, -1, PAGE_SIZE);

	private final Bounds bounds;

	private final boolean isReverse;

	private final long limit;

	private final int pageSize;

	private RangeQuery(Bounds bounds, boolean isReverse, long limit, int pageSize) {
		this.bounds = bounds;
		this.isReverse = isReverse;
		this.limit = limit;
		this.pageSize = pageSize;
	}

	/** Returns the range of all keys. */
	public static RangeQuery all() {
		return ALL;
	}

	/**
	 * Returns the range of all keys with a prefix.
	 * @param prefix the beginning of the keys
	 */
	public static RangeQuery prefix(String prefix) {
		Objects.requireNonNull(prefix, "a prefix is text, not null");
		if (prefix.isEmpty()) {
			return ALL;
		}
		Keys.check(prefix);
		return ALL.with(new Bounds(null, null, prefix, null));
	}

	/**
	 * Returns the range from a key on.
	 * @param start the first key; {@code key + "\0"} begins behind a key
	 */
	public static RangeQuery from(String start) {
		checkBound(start);
		return ALL.with(new Bounds(start, null, null, null));
	}

	/**
	 * Returns the range before a key.
	 * @param end the key behind the last one
	 */
	public static RangeQuery before(String end) {
		checkBound(end);
		return ALL.with(new Bounds(null, end, null, null));
	}

	/**
	 * Returns the range between two keys.
	 * @param start the first key
	 * @param end the key behind the last one
	 */
	public static RangeQuery between(String start, String end) {
		checkBound(start);
		checkBound(end);
		return ALL.with(new Bounds(start, end, null, null));
	}

	/**
	 * Returns the rest of a range, as a {@link Page} names it. The direction of the range
	 * is to be given again.
	 * @param cursor the place of the rest
	 */
	public static RangeQuery cursor(String cursor) {
		Objects.requireNonNull(cursor, "a cursor is text, not null: the range has no rest");
		return ALL.with(new Bounds(null, null, null, cursor));
	}

	/** Returns this range from its last key to its first. */
	public RangeQuery reverse() {
		return new RangeQuery(this.bounds, true, this.limit, this.pageSize);
	}

	/**
	 * Returns this range with a limit.
	 * @param records the most records of all
	 */
	public RangeQuery limit(long records) {
		if (records < 0) {
			throw new IllegalArgumentException("a limit must not be below 0, but is " + records);
		}
		return new RangeQuery(this.bounds, this.isReverse, records, this.pageSize);
	}

	/**
	 * Returns this range with another number of records of one request; by default 1,000.
	 * @param records the most records of one request
	 */
	public RangeQuery pageSize(int records) {
		if (records < 1) {
			throw new IllegalArgumentException("a page has at least 1 record, not " + records);
		}
		return new RangeQuery(this.bounds, this.isReverse, this.limit, records);
	}

	/**
	 * Returns what is behind one of the keys of this range, in its direction.
	 * @param key the key
	 * @return the rest, {@code null} if the bounds are not known
	 */
	@Nullable RangeQuery behind(String key) {
		if (this.bounds.cursor() != null) {
			return null;
		}
		String prefix = this.bounds.prefix();
		if (this.isReverse) {
			return with(new Bounds((prefix != null) ? prefix : this.bounds.start(), key, null, null));
		}
		String end = (prefix != null) ? Keys.behindAllWith(prefix) : this.bounds.end();
		return with(new Bounds(key + "\0", end, null, null));
	}

	private RangeQuery with(Bounds others) {
		return new RangeQuery(others, this.isReverse, this.limit, this.pageSize);
	}

	Bounds bounds() {
		return this.bounds;
	}

	boolean isReverse() {
		return this.isReverse;
	}

	/** Returns the most records of all, -1 for no limit. */
	long limit() {
		return this.limit;
	}

	int pageSize() {
		return this.pageSize;
	}

	/* A range can begin and end behind the longest key, too. */
	private static void checkBound(String bound) {
		Objects.requireNonNull(bound, "a bound is text, not null");
		Keys.check((bound.length() > 1 && bound.endsWith("\0")) ? bound.substring(0, bound.length() - 1) : bound);
	}

	/** The place of a range. */
	record Bounds(@Nullable String start, @Nullable String end, @Nullable String prefix, @Nullable String cursor) {

		/** Returns whether there may be keys outside. */
		boolean isBounded() {
			return this.start != null || this.end != null || this.prefix != null;
		}

	}

}
