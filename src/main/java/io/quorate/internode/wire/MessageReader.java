package io.quorate.internode.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.function.Function;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.quorate.clock.Timestamp;
import io.quorate.consensus.MalformedBytesException;
import io.quorate.entry.ContentType;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Lineage;
import io.quorate.entry.LineageCodec;
import io.quorate.entry.Summary;
import io.quorate.entry.Value;
import org.jspecify.annotations.Nullable;

/**
 * Reads the parts of a message that {@link MessageWriter} has written; copies them, and
 * keeps nothing of the buffer.
 */
final class MessageReader {

	/* Up to this size a copy costs less than the checks of a buffer made of parts. */
	private static final int COPIED_BYTES = 4096;

	private static final int SUMMARY_FLAGS = MessageWriter.TOMBSTONE | MessageWriter.EXPIRES | MessageWriter.DESCENDED;

	private final ByteBuf from;

	private MessageReader(ByteBuf from) {
		this.from = from;
	}

	private static MessageReader of(ByteBuf from) {
		int size = from.readableBytes();
		if (size > COPIED_BYTES) {
			return new MessageReader(from);
		}
		byte[] copy = new byte[size];
		from.readBytes(copy);
		return new MessageReader(Unpooled.wrappedBuffer(copy));
	}

	/**
	 * Reads a whole message.
	 * @throws MalformedMessageException when the bytes are no message, or some are left
	 * over
	 */
	static <T> T readAll(ByteBuf from, Function<MessageReader, T> reading) {
		try {
			MessageReader reader = of(from);
			T message = reading.apply(reader);
			if (reader.from.isReadable()) {
				throw new MalformedMessageException("%d bytes left over".formatted(reader.from.readableBytes()));
			}
			return message;
		}
		catch (IndexOutOfBoundsException | IllegalArgumentException | MalformedBytesException cause) {
			throw new MalformedMessageException(String.valueOf(cause.getMessage()));
		}
	}

	int octet() {
		return this.from.readUnsignedByte();
	}

	boolean flag() {
		return octet() != 0;
	}

	int readInt() {
		return this.from.readInt();
	}

	long readLong() {
		return this.from.readLong();
	}

	Timestamp timestamp() {
		return new Timestamp(readLong(), readInt());
	}

	UUID id() {
		return new UUID(readLong(), readLong());
	}

	Key key() {
		return Key.wrap(bytes(this.from.readUnsignedShort()));
	}

	@Nullable Key keyOrNull() {
		int length = this.from.readUnsignedShort();
		return (length > 0) ? Key.wrap(bytes(length)) : null;
	}

	String text() {
		return new String(bytes(this.from.readUnsignedShort()), StandardCharsets.UTF_8);
	}

	/** Reads the optional fields, whose length comes first. */
	Fields fields() {
		int length = this.from.readUnsignedShort();
		return Fields.read(this.from.readSlice(length));
	}

	/** Reads all bytes that are left. */
	ByteBuffer rest() {
		return ByteBuffer.wrap(bytes(this.from.readableBytes()));
	}

	void skipRest() {
		this.from.skipBytes(this.from.readableBytes());
	}

	Entry entry() {
		int flags = flags(SUMMARY_FLAGS | MessageWriter.TYPED);
		int copies = octet();
		Timestamp timestamp = timestamp();
		long expiry = expiry(flags);
		Lineage lineage = lineage(flags, timestamp);
		if ((flags & MessageWriter.TOMBSTONE) != 0) {
			if ((flags & MessageWriter.TYPED) != 0) {
				throw new MalformedMessageException("a tombstone with a content type");
			}
			return new Entry.Tombstone(timestamp, copies, lineage);
		}
		ContentType contentType = ((flags & MessageWriter.TYPED) != 0) ? ContentType.wrap(bytes(octet())) : null;
		return new Entry.Live(timestamp, copies, expiry, Value.wrap(bytes(readInt())), contentType, lineage);
	}

	Summary summary() {
		int flags = flags(SUMMARY_FLAGS);
		int copies = octet();
		Timestamp timestamp = timestamp();
		long expiry = expiry(flags);
		Lineage lineage = lineage(flags, timestamp);
		return new Summary(timestamp, (flags & MessageWriter.TOMBSTONE) != 0, copies, expiry, readInt(), lineage);
	}

	private int flags(int known) {
		int flags = octet();
		if ((flags & ~known) != 0) {
			throw new MalformedMessageException("unknown flags %#x".formatted(flags));
		}
		return flags;
	}

	private long expiry(int flags) {
		return ((flags & MessageWriter.EXPIRES) != 0) ? readLong() : Entry.NEVER;
	}

	private @Nullable Lineage lineage(int flags, Timestamp timestamp) {
		return ((flags & MessageWriter.DESCENDED) != 0)
				? LineageCodec.read(timestamp, this::octet, this::readInt, this::readLong) : null;
	}

	/**
	 * The length comes from a peer: it is checked before anything is allocated for it.
	 */
	private byte[] bytes(int length) {
		if (length < 0 || length > this.from.readableBytes()) {
			throw new MalformedMessageException(
					"%d bytes expected, %d there".formatted(length, this.from.readableBytes()));
		}
		byte[] bytes = new byte[length];
		this.from.readBytes(bytes);
		return bytes;
	}

}
