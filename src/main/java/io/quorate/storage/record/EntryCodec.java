package io.quorate.storage.record;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

import io.quorate.clock.Timestamp;
import io.quorate.entry.ContentType;
import io.quorate.entry.Lineage;
import io.quorate.entry.LineageCodec;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import io.quorate.storage.record.StoredEntry.Deleted;
import io.quorate.storage.record.StoredEntry.Extras;
import io.quorate.storage.record.StoredEntry.Inline;
import io.quorate.storage.record.StoredEntry.Payload;
import io.quorate.storage.record.StoredEntry.Promised;
import io.quorate.storage.record.StoredEntry.Reference;

/**
 * The bytes of a stored entry, the same in log and tables, big-endian:
 *
 * <pre>
 * flags 1 | from 1 | sequence 8 | hybrid time 8 | node 4 | [expiry 8] | [lineage] | [length 1 | content type] | payload
 * </pre>
 *
 * Bits 0-1 of the flags are the kind (0 value in place, 1 reference, 2 tombstone, 3
 * promise, in a log alone), bit 2 means that there is an expiry, bit 3 that there is a
 * content type, bit 4 that there is a lineage ({@link LineageCodec}). A reference is
 * {@code file 8 | offset 8 | length 4 | crc 4}, a promise {@code released 1}, and nothing
 * in brackets; a value in place takes the remaining bytes. The length of the entry stands
 * in the frame around it.
 */
public final class EntryCodec {

	private static final int KIND_MASK = 0b011;

	private static final int KIND_INLINE = 0;

	private static final int KIND_REFERENCE = 1;

	private static final int KIND_TOMBSTONE = 2;

	private static final int KIND_PROMISE = 3;

	private static final int EXPIRES = 0b100;

	private static final int TYPED = 0b1000;

	private static final int DESCENDED = 0b1_0000;

	private static final int KNOWN_FLAGS = KIND_MASK | EXPIRES | TYPED | DESCENDED;

	private static final int TIMESTAMP_AT = 2 + Long.BYTES;

	private static final int FIXED_SIZE = TIMESTAMP_AT + Timestamp.SIZE_BYTES;

	private static final int REFERENCE_SIZE = 2 * Long.BYTES + 2 * Integer.BYTES;

	/** Most bytes of an entry apart from a value in place. */
	public static final int MAX_OVERHEAD = FIXED_SIZE + Long.BYTES + LineageCodec.MAX_SIZE_BYTES + 1
			+ ContentType.MAX_SIZE_BYTES + REFERENCE_SIZE;

	private EntryCodec() {
	}

	/** Number of bytes that {@link #write} will take. */
	public static int size(StoredEntry entry) {
		int expiry = (entry.expiryMillis() == Versioned.NEVER) ? 0 : Long.BYTES;
		ContentType contentType = entry.contentType();
		int type = (contentType == null) ? 0 : 1 + contentType.size();
		return FIXED_SIZE + expiry + LineageCodec.size(entry) + type + switch (entry.payload()) {
			case Inline inline -> inline.value().size();
			case Reference _ -> REFERENCE_SIZE;
			case Promised _ -> 1;
			case Deleted _ -> 0;
		};
	}

	/** Writes an entry at the buffer's position. */
	public static void write(StoredEntry entry, ByteBuffer to) {
		boolean expires = entry.expiryMillis() != Versioned.NEVER;
		ContentType contentType = entry.contentType();
		to.put((byte) (kind(entry.payload()) | (expires ? EXPIRES : 0) | ((contentType != null) ? TYPED : 0)
				| ((entry.lineage() != null) ? DESCENDED : 0)));
		to.put((byte) entry.from());
		to.putLong(entry.sequence());
		to.putLong(entry.timestamp().hybrid());
		to.putInt(entry.timestamp().node());
		if (expires) {
			to.putLong(entry.expiryMillis());
		}
		LineageCodec.write(entry, to);
		if (contentType != null) {
			to.put((byte) contentType.size()).put(contentType.array());
		}
		switch (entry.payload()) {
			case Inline inline -> to.put(inline.value().array());
			case Reference reference -> to.putLong(reference.file())
				.putLong(reference.offset())
				.putInt(reference.length())
				.putInt(reference.crc());
			case Promised(var isReleased) -> to.put((byte) (isReleased ? 1 : 0));
			case Deleted _ -> {
			}
		}
	}

	/**
	 * Reads an entry from {@code size} bytes at {@code position}; the buffer's own
	 * position is left alone, so that threads may share it.
	 * @throws MalformedEntryException when the bytes are not those of an entry
	 */
	public static StoredEntry read(ByteBuffer from, int position, int size) {
		if (size < FIXED_SIZE) {
			throw new MalformedEntryException("an entry of %d bytes, at least %d expected".formatted(size, FIXED_SIZE));
		}
		int flags = from.get(position);
		if ((flags & ~KNOWN_FLAGS) != 0) {
			throw new MalformedEntryException("unknown flags %#x".formatted(flags));
		}
		int kind = flags & KIND_MASK;
		if (kind == KIND_PROMISE && flags != kind) {
			throw new MalformedEntryException("a promise with the flags %#x of an entry".formatted(flags));
		}
		int copies = Byte.toUnsignedInt(from.get(position + 1));
		long sequence = from.getLong(position + 2);
		Timestamp timestamp = timestamp(from, position);
		boolean expires = (flags & EXPIRES) != 0;
		int payloadAt = FIXED_SIZE + (expires ? Long.BYTES : 0);
		if (size < payloadAt) {
			throw new MalformedEntryException("an entry of %d bytes is too short for its expiry".formatted(size));
		}
		long expiry = expires ? from.getLong(position + FIXED_SIZE) : Versioned.NEVER;
		Lineage lineage = null;
		if ((flags & DESCENDED) != 0) {
			ByteBuffer bytes = from.slice(position + payloadAt, size - payloadAt);
			lineage = readLineage(timestamp, bytes);
			payloadAt += bytes.position();
		}
		ContentType contentType = null;
		if ((flags & TYPED) != 0) {
			contentType = readContentType(kind, from, position + payloadAt, size - payloadAt);
			payloadAt += 1 + contentType.size();
		}
		Payload payload = readPayload(kind, from, position + payloadAt, size - payloadAt);
		return new StoredEntry(sequence, timestamp, expiry, copies, payload, Extras.of(contentType, lineage));
	}

	private static Lineage readLineage(Timestamp timestamp, ByteBuffer from) {
		try {
			return LineageCodec.read(timestamp, () -> Byte.toUnsignedInt(from.get()), from::getInt, from::getLong);
		}
		catch (BufferUnderflowException | IllegalArgumentException malformed) {
			throw new MalformedEntryException("an entry with a malformed lineage: " + malformed);
		}
	}

	private static ContentType readContentType(int kind, ByteBuffer from, int position, int size) {
		if (kind == KIND_TOMBSTONE) {
			throw new MalformedEntryException("an entry that is a tombstone with a content type");
		}
		int length = (size > 0) ? Byte.toUnsignedInt(from.get(position)) : 0;
		if (length == 0 || length > size - 1) {
			throw new MalformedEntryException(
					"an entry with a content type of %d bytes, %d left".formatted(length, Math.max(0, size - 1)));
		}
		byte[] bytes = new byte[length];
		from.get(position + 1, bytes);
		try {
			return ContentType.wrap(bytes);
		}
		catch (IllegalArgumentException malformed) {
			throw new MalformedEntryException("an entry with a malformed content type: " + malformed.getMessage());
		}
	}

	/**
	 * Reads only the timestamp, from bytes at {@code position} that {@link #write} has
	 * made.
	 */
	public static Timestamp timestamp(ByteBuffer from, int position) {
		return new Timestamp(from.getLong(position + TIMESTAMP_AT), from.getInt(position + TIMESTAMP_AT + Long.BYTES));
	}

	private static Payload readPayload(int kind, ByteBuffer from, int position, int size) {
		return switch (kind) {
			case KIND_INLINE -> {
				byte[] value = new byte[size];
				from.get(position, value);
				yield new Inline(Value.wrap(value));
			}
			case KIND_REFERENCE -> {
				requireSize(size, REFERENCE_SIZE);
				yield new Reference(from.getLong(position), from.getLong(position + 8), from.getInt(position + 16),
						from.getInt(position + 20));
			}
			case KIND_TOMBSTONE -> {
				requireSize(size, 0);
				yield Deleted.INSTANCE;
			}
			default -> {
				requireSize(size, 1);
				int released = from.get(position);
				if (released != 0 && released != 1) {
					throw new MalformedEntryException("a promise with the payload %#x".formatted(released));
				}
				yield new Promised(released == 1);
			}
		};
	}

	private static void requireSize(int size, int expected) {
		if (size != expected) {
			throw new MalformedEntryException("a payload of %d bytes, %d expected".formatted(size, expected));
		}
	}

	private static int kind(Payload payload) {
		return switch (payload) {
			case Inline _ -> KIND_INLINE;
			case Reference _ -> KIND_REFERENCE;
			case Deleted _ -> KIND_TOMBSTONE;
			case Promised _ -> KIND_PROMISE;
		};
	}

}
