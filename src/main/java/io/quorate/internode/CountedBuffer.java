package io.quorate.internode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;

/**
 * Bytes on their way into a socket, which count against a budget until the kernel has
 * taken the last of them or the connection is closed. So what waits for a peer that does
 * not read stays counted after the request that it belongs to has timed out.
 * <p>
 * Outside the heap from the beginning: bytes of the heap would be copied there as soon as
 * they are handed to the connection, which takes any number of them, and be released
 * before they are sent.
 */
final class CountedBuffer extends CompositeByteBuf {

	/* A pooled allocator has pieces of this size at hand. */
	private static final int PIECE_BYTES = 64 * 1024;

	private static final int MAX_PIECES = 4096;

	private final Budget budget;

	private final int amount;

	/**
	 * An empty buffer.
	 * @param amount what has been taken from the budget for the buffer
	 */
	CountedBuffer(ByteBufAllocator allocator, Budget budget, int amount) {
		super(allocator, true, MAX_PIECES);
		this.budget = budget;
		this.amount = amount;
	}

	/** Adds a copy of bytes at the end. */
	void add(byte[] bytes) {
		for (int from = 0; from < bytes.length; from += PIECE_BYTES) {
			int size = Math.min(PIECE_BYTES, bytes.length - from);
			ByteBuf piece = alloc().directBuffer(size, size).writeBytes(bytes, from, size);
			addComponent(true, piece);
		}
	}

	@Override
	protected void deallocate() {
		super.deallocate();
		this.budget.giveBack(this.amount);
	}

}
