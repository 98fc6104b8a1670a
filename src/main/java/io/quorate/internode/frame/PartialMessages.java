package io.quorate.internode.frame;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.quorate.internode.wire.Budget;
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

	/*
	 * A smaller part is copied: as a slice of the buffer that it came in, it would keep
	 * all of that, of which the peer fills the rest with frames that do not count.
	 */
	private static final int MIN_SLICE_BYTES = FrameConnection.PART_BYTES / 2;

	/* Several large values may come at a time. */
	private static final int MESSAGES = 2;

	private final int maxMessageBytes;

	private final IntObjectMap<CompositeByteBuf> byStream = new IntObjectHashMap<>();

	private Budget budget;

	/**
	 * No messages yet.
	 * @param maxMessageBytes size of the largest message
	 */
	PartialMessages(int maxMessageBytes) {
		this.maxMessageBytes = maxMessageBytes;
		this.budget = new Budget((long) MESSAGES * maxMessageBytes);
	}

	/**
	 * From now on the bytes count against a budget, too, with those of other connections.
	 * To be called while there are no messages.
	 */
	void countAgainst(Budget whole) {
		this.budget = new Budget(this.budget.limit(), whole);
	}

	int maxMessageBytes() {
		return this.maxMessageBytes;
	}

	boolean has(int stream) {
		return this.byStream.containsKey(stream);
	}

	/** Bytes of the message of a stream that have come. */
	int bytes(int stream) {
		CompositeByteBuf message = this.byStream.get(stream);
		return (message != null) ? message.readableBytes() : 0;
	}

	/** Whether the message of a stream stays within its bound with so many bytes more. */
	boolean hasRoom(int stream, int more) {
		return more <= this.maxMessageBytes - bytes(stream);
	}

	/**
	 * Adds a part, for which the message has room. A message does not begin with its last
	 * part.
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
		if (!follows) {
			return complete(stream, part);
		}
		CompositeByteBuf message = this.byStream.get(stream);
		if (message == null) {
			message = allocator.compositeBuffer(MAX_PARTS);
			this.byStream.put(stream, message);
		}
		ByteBuf kept = (size < MIN_SLICE_BYTES) ? part.copy() : part.retainedSlice();
		if (!this.budget.tryTake(size)) {
			kept.release();
			throw new MalformedMessageException("%d bytes of unfinished messages are under way, and %d more have come"
				.formatted(this.budget.taken(), size));
		}
		message.addComponent(true, kept);
		return null;
	}

	private ByteBuf complete(int stream, ByteBuf lastPart) {
		CompositeByteBuf message = this.byStream.remove(stream);
		this.budget.release(message.readableBytes());
		try {
			return message.addComponent(true, lastPart.retainedSlice());
		}
		catch (RuntimeException | OutOfMemoryError failure) {
			message.release();
			throw failure;
		}
	}

	/** Drops a message: its other parts are not awaited. */
	void drop(int stream) {
		CompositeByteBuf message = this.byStream.remove(stream);
		if (message != null) {
			this.budget.release(message.readableBytes());
			message.release();
		}
	}

	/** Drops all messages. */
	void clear() {
		for (CompositeByteBuf message : this.byStream.values()) {
			this.budget.release(message.readableBytes());
			message.release();
		}
		this.byStream.clear();
	}

}
