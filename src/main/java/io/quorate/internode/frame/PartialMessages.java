package io.quorate.internode.frame;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.quorate.internode.wire.MalformedMessageException;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one connection of which some parts have come, and more are to follow.
 * Bounded in the bytes of each and of all, so that no peer fills the memory with messages
 * that it never ends. Belongs to the event loop of the connection.
 */
final class PartialMessages {

	/* With the usual 16, parts of a large message would be copied over and over. */
	private static final int MAX_PARTS = 4096;

	/* Nodes send parts of 64 KiB; many small ones would cost more than their bytes. */
	static final int MIN_PART_BYTES = 1024;

	private final int maxMessageBytes;

	private final long maxBytes;

	private final IntObjectMap<CompositeByteBuf> byStream = new IntObjectHashMap<>();

	private long bytes;

	/**
	 * No messages yet.
	 * @param maxMessageBytes size of the largest message
	 * @param maxBytes most bytes of all of them
	 */
	PartialMessages(int maxMessageBytes, long maxBytes) {
		this.maxMessageBytes = maxMessageBytes;
		this.maxBytes = maxBytes;
	}

	int maxMessageBytes() {
		return this.maxMessageBytes;
	}

	boolean has(int stream) {
		return this.byStream.containsKey(stream);
	}

	/** Whether the message of a stream stays within its bound with so many bytes more. */
	boolean hasRoom(int stream, int bytes) {
		CompositeByteBuf message = this.byStream.get(stream);
		return bytes <= this.maxMessageBytes - ((message != null) ? message.readableBytes() : 0);
	}

	/**
	 * Adds a part, for which the message has room.
	 * @param part bytes that the caller releases
	 * @param follows whether more parts follow
	 * @return the whole message, which the caller releases, or {@code null} when more
	 * parts follow
	 * @throws MalformedMessageException when the part is too small, or the bytes of all
	 * messages are too many
	 */
	@Nullable ByteBuf add(ByteBufAllocator allocator, int stream, ByteBuf part, boolean follows) {
		int size = part.readableBytes();
		if (follows && size < MIN_PART_BYTES) {
			throw new MalformedMessageException("a part of %d bytes, with more to follow".formatted(size));
		}
		CompositeByteBuf message = this.byStream.get(stream);
		if (message == null) {
			message = allocator.compositeBuffer(MAX_PARTS);
			this.byStream.put(stream, message);
		}
		message.addComponent(true, part.retainedSlice());
		this.bytes += size;
		if (!follows) {
			this.byStream.remove(stream);
			this.bytes -= message.readableBytes();
			return message;
		}
		if (this.bytes > this.maxBytes) {
			throw new MalformedMessageException("%d bytes of unfinished messages are under way, at most %d are allowed"
				.formatted(this.bytes, this.maxBytes));
		}
		return null;
	}

	/** Drops a message: its other parts are not awaited. */
	void drop(int stream) {
		CompositeByteBuf message = this.byStream.remove(stream);
		if (message != null) {
			this.bytes -= message.readableBytes();
			message.release();
		}
	}

	/** Drops all messages. */
	void clear() {
		this.byStream.values().forEach(CompositeByteBuf::release);
		this.byStream.clear();
		this.bytes = 0;
	}

}
