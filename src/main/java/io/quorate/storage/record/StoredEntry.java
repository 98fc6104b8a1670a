package io.quorate.storage.record;

import java.util.Comparator;
import java.util.function.Function;

import io.quorate.clock.Timestamp;
import io.quorate.entry.ContentType;
import io.quorate.entry.Entry;
import io.quorate.entry.Lineage;
import io.quorate.entry.Summary;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import org.jspecify.annotations.Nullable;

/**
 * An entry as the store keeps it: with the number of its arrival, and its value in place
 * or in a value file.
 *
 * @param sequence number of its arrival in this store; kept for good
 * @param timestamp timestamp of the entry
 * @param expiryMillis instant from which it reads as absent, or {@link Versioned#NEVER}
 * @param from number of nodes that it was written to
 * @param payload the value, a reference to it, or none
 * @param extras what only some entries have
 */
public record StoredEntry(long sequence, Timestamp timestamp, long expiryMillis, int from, Payload payload,
		Extras extras) implements Versioned {

	/** An entry of a plain write without a content type. */
	public StoredEntry(long sequence, Timestamp timestamp, long expiryMillis, int from, Payload payload) {
		this(sequence, timestamp, expiryMillis, from, payload, Extras.NONE);
	}

	/**
	 * The properties that only some entries have.
	 *
	 * @param contentType media type of the value, {@code null} for none
	 * @param lineage place in the history of the key, {@code null} for a plain write
	 */
	public record Extras(@Nullable ContentType contentType, @Nullable Lineage lineage) {

		private static final Extras NONE = new Extras(null, null);

		/** These, in an object of their own only if there are any. */
		public static Extras of(@Nullable ContentType contentType, @Nullable Lineage lineage) {
			return (contentType != null || lineage != null) ? new Extras(contentType, lineage) : NONE;
		}

	}

	/** The payload of an entry: a value, a reference to one, or none. */
	public sealed interface Payload {

	}

	/** A value in place; the bytes must not be changed. */
	public record Inline(Value value) implements Payload {
	}

	/**
	 * A value in a value file.
	 *
	 * @param file number of the file
	 * @param offset offset of the value's bytes
	 * @param length number of bytes of the value
	 * @param crc CRC32C of these bytes
	 */
	public record Reference(long file, long offset, int length, int crc) implements Payload {
	}

	/** The payload of a tombstone. */
	public enum Deleted implements Payload {

		/** The only instance. */
		INSTANCE

	}

	/**
	 * The payload of a record about a promise, which stands in the log alone: the
	 * timestamp is the ballot.
	 *
	 * @param isReleased whether the promise is taken back
	 */
	public record Promised(boolean isReleased) implements Payload {
	}

	/** A record about a promise that has no sequence number yet. */
	public static StoredEntry promised(Timestamp ballot, boolean isReleased) {
		return new StoredEntry(0, ballot, NEVER, 0, new Promised(isReleased));
	}

	/** An entry that has no sequence number yet, with a payload. */
	public static StoredEntry of(Entry entry, Payload payload) {
		return new StoredEntry(0, entry.timestamp(), entry.expiryMillis(), entry.from(), payload,
				Extras.of(entry.contentType(), entry.lineage()));
	}

	/**
	 * The entry in its public form.
	 * @param value reads the value; not called for a tombstone
	 */
	public Entry toEntry(Function<StoredEntry, Value> value) {
		return isTombstone() ? new Entry.Tombstone(this.timestamp, this.from, lineage()) : new Entry.Live(
				this.timestamp, this.from, this.expiryMillis, value.apply(this), contentType(), lineage());
	}

	/**
	 * Compares two entries in the order of the merge. Positive when {@code left} wins, 0
	 * for the same entry.
	 * @param byValue compares the values of two entries that differ in nothing before
	 */
	public static int compareMerged(StoredEntry left, StoredEntry right, Comparator<StoredEntry> byValue) {
		int order = Versioned.compare(left, right, byValue);
		return (order != 0) ? order : ContentType.ORDER.compare(left.contentType(), right.contentType());
	}

	/**
	 * As {@link #compareMerged}; of the same entry, arrived twice, the first wins.
	 */
	public static int compare(StoredEntry left, StoredEntry right, Comparator<StoredEntry> byValue) {
		int order = compareMerged(left, right, byValue);
		return (order != 0) ? order : Long.compare(right.sequence, left.sequence);
	}

	/** The one of two entries of a key that {@link #compare} prefers. */
	public static StoredEntry winner(StoredEntry left, StoredEntry right, Comparator<StoredEntry> byValue) {
		return (compare(left, right, byValue) >= 0) ? left : right;
	}

	@Override
	public boolean isTombstone() {
		return this.payload == Deleted.INSTANCE;
	}

	/** Media type of the value, {@code null} for none. */
	public @Nullable ContentType contentType() {
		return this.extras.contentType();
	}

	@Override
	public @Nullable Lineage lineage() {
		return this.extras.lineage();
	}

	/** The same entry with another payload. */
	public StoredEntry withPayload(Payload newPayload) {
		return new StoredEntry(this.sequence, this.timestamp, this.expiryMillis, this.from, newPayload, this.extras);
	}

	/** The same entry with the number of its arrival. */
	public StoredEntry withSequence(long number) {
		return new StoredEntry(number, this.timestamp, this.expiryMillis, this.from, this.payload, this.extras);
	}

	/** The entry without its value. */
	public Summary summary() {
		return new Summary(this.timestamp, isTombstone(), this.from, this.expiryMillis, valueSizeBytes(), lineage());
	}

	/** Number of bytes of the value, wherever it is stored. */
	public int valueSizeBytes() {
		return switch (this.payload) {
			case Inline inline -> inline.value().size();
			case Reference reference -> reference.length();
			case Deleted _, Promised _ -> 0;
		};
	}

}
