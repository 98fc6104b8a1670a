package io.quorate.internode;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;

/**
 * Bytes on their way into a socket, which count against a budget until Netty lets go of
 * them: when they are written, or when the connection is closed. So what waits for a peer
 * that does not read stays counted after the request that it belongs to has timed out.
 */
final class CountedBuffer extends UnpooledHeapByteBuf {

	private final Budget budget;

	private final int size;

	/**
	 * A buffer over bytes that are not copied, and must not be changed any more.
	 * @param budget from which their number has been taken
	 */
	CountedBuffer(byte[] bytes, Budget budget) {
		super(UnpooledByteBufAllocator.DEFAULT, bytes, bytes.length);
		this.budget = budget;
		this.size = bytes.length;
	}

	@Override
	protected void deallocate() {
		super.deallocate();
		this.budget.giveBack(this.size);
	}

}
