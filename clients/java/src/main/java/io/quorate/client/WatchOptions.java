package io.quorate.client;

import java.util.Objects;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The keys of a watch, its beginning and its form: by default from now on, and without
 * values. Immutable.
 */
public final class WatchOptions {

	/** The place before the present state. */
	static final String STATE = "0";

	private static final Pattern CURSOR = Pattern.compile("[\\x21-\\x7e]{1,4096}");

	private final @Nullable String key;

	private final RangeQuery range;

	private final @Nullable String start;

	private final boolean hasValues;

	private WatchOptions(@Nullable String key, RangeQuery range, @Nullable String start, boolean hasValues) {
		this.key = key;
		this.range = range;
		this.start = start;
		this.hasValues = hasValues;
	}

	/**
	 * Returns the watch of one key.
	 * @param key the key
	 */
	public static WatchOptions key(String key) {
		Keys.check(key);
		return new WatchOptions(key, RangeQuery.all(), null, false);
	}

	/**
	 * Returns the watch of all keys with a prefix.
	 * @param prefix the beginning of the keys
	 */
	public static WatchOptions prefix(String prefix) {
		return range(RangeQuery.prefix(prefix));
	}

	/**
	 * Returns the watch of a range of keys.
	 * @param range the bounds, in ascending order and without a limit
	 * @throws IllegalArgumentException if the range is no such one
	 */
	public static WatchOptions range(RangeQuery range) {
		if (range.isReverse() || range.limit() >= 0 || range.bounds().cursor() != null) {
			throw new IllegalArgumentException("a watch has bounds alone: no limit, no direction, no rest of a range");
		}
		return new WatchOptions(null, range, null, false);
	}

	/**
	 * Returns this watch with the present state before the changes.
	 * {@link WatchEvent.Live} is the border.
	 */
	public WatchOptions fromState() {
		return new WatchOptions(this.key, this.range, STATE, this.hasValues);
	}

	/**
	 * Returns this watch from the place of an earlier one of the same keys. If the place
	 * is lost, the watch begins with {@link WatchEvent.Gap}.
	 * @param cursor the place that an event has named
	 */
	public WatchOptions fromCursor(String cursor) {
		Objects.requireNonNull(cursor, "a cursor is text, not null: no event has named a place yet");
		if (!isCursor(cursor)) {
			throw new IllegalArgumentException("a cursor is a text that an event has named");
		}
		return new WatchOptions(this.key, this.range, cursor, this.hasValues);
	}

	/** Returns this watch with the values of at most 64 KiB. */
	public WatchOptions withValues() {
		return new WatchOptions(this.key, this.range, this.start, true);
	}

	static boolean isCursor(String text) {
		return CURSOR.matcher(text).matches();
	}

	@Nullable String key() {
		return this.key;
	}

	RangeQuery range() {
		return this.range;
	}

	/** Returns the first place, {@code null} for now. */
	@Nullable String start() {
		return this.start;
	}

	boolean hasValues() {
		return this.hasValues;
	}

}
