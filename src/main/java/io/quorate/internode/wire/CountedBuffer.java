package io.quorate.internode.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;

/**
 * A buffer of bytes for a socket, which count against a budget until the kernel has taken
 * the last of them or the connection is closed. So bytes that wait for a peer that does
 * not read stay counted after their request has timed out.
 * <p>
 * The bytes are outside the heap from the beginning. Bytes on the heap would be copied
 * out of it as soon as they are handed to the connection, which takes any number of them,
 * and be released before they are sent.
 */
final class CountedBuffer extends CompositeByteBuf {

	/* A pooled allocator has pieces of this size at hand. */
	private static final int PIECE_BYTES = 64 * 1024;

	private static final int MAX_PIECES = 4096;

	private final Budget budget;

	private final int amount;

	/**
	 * An empty buffer.
	 * @param amount amount that has been taken from the budget for the buffer
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
		this.budget.release(this.amount);
	}

}
