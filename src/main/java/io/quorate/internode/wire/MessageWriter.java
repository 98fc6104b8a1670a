package io.quorate.internode.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

import io.quorate.clock.Timestamp;
import io.quorate.entry.ContentType;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.LineageCodec;
import io.quorate.entry.Summary;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import org.jspecify.annotations.Nullable;

/**
 * Writes the parts of a message, big-endian, into an array of a size known before.
 * <p>
 * Key: {@code length 2 | bytes}, where length 0 is no key. Text: the same with UTF-8.
 * Timestamp: {@code hybrid time 8 | node 4}. Entry:
 * {@code flags 1 | from 1 | timestamp | [expiry 8] | [lineage] | [length 1 | content type] | [length 4 | value]},
 * bit 0 of the flags for a tombstone (which has only a lineage of these), bit 1 for an
 * expiry, bit 2 for a content type, bit 3 for a lineage ({@link LineageCodec}). Summary:
 * the same without the content type, and up to the length, which a tombstone has, too.
 */
final class MessageWriter {

	static final int TOMBSTONE = 0b01;

	static final int EXPIRES = 0b10;

	static final int TYPED = 0b100;

	static final int DESCENDED = 0b1000;

	private static final byte[] NONE = {};

	private final ByteBuffer to;

	private byte[] tail = NONE;

	/** A writer of a message with so many bytes apart from a large value at its end. */
	MessageWriter(int size) {
		this.to = ByteBuffer.allocate(size);
	}

	static int sizeOf(@Nullable Key key) {
		return Short.BYTES + ((key != null) ? key.size() : 0);
	}

	static int sizeOf(String text) {
		return Short.BYTES + text.getBytes(StandardCharsets.UTF_8).length;
	}

	/** Size of an entry somewhere in a message. */
	static int sizeOf(Entry entry) {
		return switch (entry) {
			case Entry.Live live -> sizeWithoutValue(live) + sizeOf(live.contentType()) + live.value().size();
			case Entry.Tombstone tombstone -> sizeOfHead(tombstone);
		};
	}

	/** Size of an entry at the end of a message, apart from a value that is large. */
	static int sizeOfLast(Entry entry) {
		return (entry instanceof Entry.Live live && isLarge(live.value()))
				? sizeWithoutValue(live) + sizeOf(live.contentType()) : sizeOf(entry);
	}

	static int sizeOf(Summary summary) {
		return sizeWithoutValue(summary);
	}

	private static int sizeWithoutValue(Versioned versioned) {
		return sizeOfHead(versioned) + Integer.BYTES;
	}

	private static int sizeOfHead(Versioned versioned) {
		return 2 + Timestamp.SIZE_BYTES + (expires(versioned) ? Long.BYTES : 0) + LineageCodec.size(versioned);
	}

	private static int sizeOf(@Nullable ContentType contentType) {
		return (contentType != null) ? 1 + contentType.size() : 0;
	}

	private static boolean expires(Versioned versioned) {
		return versioned.expiryMillis() != Versioned.NEVER;
	}

	private static boolean isLarge(Value value) {
		return value.size() > Wire.LARGE_BYTES;
	}

	MessageWriter put(int octet) {
		this.to.put((byte) octet);
		return this;
	}

	MessageWriter put(boolean flag) {
		return put(flag ? 1 : 0);
	}

	MessageWriter putShort(int number) {
		this.to.putShort((short) number);
		return this;
	}

	/** Puts bytes without their length. */
	MessageWriter putRaw(byte[] bytes) {
		this.to.put(bytes);
		return this;
	}

	MessageWriter putInt(int number) {
		this.to.putInt(number);
		return this;
	}

	MessageWriter putLong(long number) {
		this.to.putLong(number);
		return this;
	}

	MessageWriter put(Timestamp timestamp) {
		return putLong(timestamp.hybrid()).putInt(timestamp.node());
	}

	MessageWriter put(UUID id) {
		return putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
	}

	MessageWriter put(@Nullable Key key) {
		return putBytes((key != null) ? key.array() : NONE);
	}

	MessageWriter put(String text) {
		return putBytes(text.getBytes(StandardCharsets.UTF_8));
	}

	private MessageWriter putBytes(byte[] bytes) {
		this.to.putShort((short) bytes.length).put(bytes);
		return this;
	}

	MessageWriter put(Summary summary) {
		putHead(summary, summary.from(), 0);
		return putInt(summary.valueSizeBytes());
	}

	MessageWriter put(Entry entry) {
		Value value = putWithoutValue(entry);
		this.to.put(value.array());
		return this;
	}

	MessageWriter putLast(Entry entry) {
		Value value = putWithoutValue(entry);
		if (isLarge(value)) {
			this.tail = value.array();
		}
		else {
			this.to.put(value.array());
		}
		return this;
	}

	private Value putWithoutValue(Entry entry) {
		ContentType contentType = entry.contentType();
		putHead(entry, entry.from(), (contentType != null) ? TYPED : 0);
		if (contentType != null) {
			put(contentType.size()).putRaw(contentType.array());
		}
		return switch (entry) {
			case Entry.Live live -> {
				putInt(live.value().size());
				yield live.value();
			}
			case Entry.Tombstone _ -> Value.EMPTY;
		};
	}

	private void putHead(Versioned versioned, int from, int moreFlags) {
		put((versioned.isTombstone() ? TOMBSTONE : 0) | (expires(versioned) ? EXPIRES : 0)
				| ((versioned.lineage() != null) ? DESCENDED : 0) | moreFlags)
			.put(from);
		put(versioned.timestamp());
		if (expires(versioned)) {
			putLong(versioned.expiryMillis());
		}
		LineageCodec.write(versioned, this.to);
	}

	Message toMessage() {
		if (this.to.hasRemaining()) {
			throw new IllegalStateException("%d bytes too few written".formatted(this.to.remaining()));
		}
		return new Message(this.to.array(), this.tail);
	}

}
