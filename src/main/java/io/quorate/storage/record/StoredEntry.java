package io.quorate.storage.record;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Versioned;

/**
 * An entry as the store keeps it: with the number of its arrival, and its value in place
 * or apart.
 *
 * @param sequence number of its arrival in this store; kept for good
 * @param timestamp when it was written
 * @param expiryMillis from when on it reads as absent, or {@link Versioned#NEVER}
 * @param from how many nodes it was written to
 * @param payload the value, where it is, or that there is none
 */
public record StoredEntry(long sequence, Timestamp timestamp, long expiryMillis, int from,
		Payload payload) implements Versioned {

	/** What an entry holds. */
	public sealed interface Payload {

	}

	/** A value in place; the bytes must not be changed. */
	public record Inline(io.quorate.entry.Value value) implements Payload {
	}

	/**
	 * A value in a value file.
	 *
	 * @param file number of the file
	 * @param offset where the value's bytes begin
	 * @param length number of bytes of the value
	 * @param crc CRC32C of these bytes
	 */
	public record Reference(long file, long offset, int length, int crc) implements Payload {
	}

	/** The payload of a tombstone. */
	public enum Deleted implements Payload {

		/** The one of its kind. */
		INSTANCE

	}

	@Override
	public boolean isTombstone() {
		return this.payload == Deleted.INSTANCE;
	}

	/** The same entry with its value elsewhere. */
	public StoredEntry withPayload(Payload newPayload) {
		return new StoredEntry(this.sequence, this.timestamp, this.expiryMillis, this.from, newPayload);
	}

	/** Number of bytes of the value, wherever it is. */
	public int valueSizeBytes() {
		return switch (this.payload) {
			case Inline inline -> inline.value().size();
			case Reference reference -> reference.length();
			case Deleted _ -> 0;
		};
	}

}
