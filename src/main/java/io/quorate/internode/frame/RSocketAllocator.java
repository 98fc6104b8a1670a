package io.quorate.internode.frame;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;

/**
 * The allocator of RSocket. Its composite buffers take many parts before they are copied
 * into one: with the usual 16, the fragments of a large value are copied over and over
 * while they come in. When there is no room outside the heap for the head of a frame, the
 * head is put on the heap: else RSocket would lose the body, which it has taken before.
 * The writer of the frame then ends its connection.
 */
final class RSocketAllocator implements ByteBufAllocator {

	private static final int MAX_PARTS = 4096;

	/* Netty's own default. */
	private static final int USUAL_BYTES = 256;

	private final ByteBufAllocator allocator;

	RSocketAllocator(ByteBufAllocator allocator) {
		this.allocator = allocator;
	}

	@Override
	public CompositeByteBuf compositeBuffer() {
		return this.allocator.compositeBuffer(MAX_PARTS);
	}

	@Override
	public CompositeByteBuf compositeBuffer(int maxNumComponents) {
		return this.allocator.compositeBuffer(maxNumComponents);
	}

	@Override
	public CompositeByteBuf compositeHeapBuffer() {
		return this.allocator.compositeHeapBuffer(MAX_PARTS);
	}

	@Override
	public CompositeByteBuf compositeHeapBuffer(int maxNumComponents) {
		return this.allocator.compositeHeapBuffer(maxNumComponents);
	}

	@Override
	public CompositeByteBuf compositeDirectBuffer() {
		return this.allocator.compositeDirectBuffer(MAX_PARTS);
	}

	@Override
	public CompositeByteBuf compositeDirectBuffer(int maxNumComponents) {
		return this.allocator.compositeDirectBuffer(maxNumComponents);
	}

	@Override
	public ByteBuf buffer() {
		return buffer(USUAL_BYTES);
	}

	@Override
	public ByteBuf buffer(int initialCapacity) {
		return buffer(initialCapacity, Integer.MAX_VALUE);
	}

	@Override
	public ByteBuf buffer(int initialCapacity, int maxCapacity) {
		try {
			return this.allocator.buffer(initialCapacity, maxCapacity);
		}
		catch (OutOfMemoryError full) {
			return this.allocator.heapBuffer(initialCapacity, maxCapacity);
		}
	}

	@Override
	public ByteBuf ioBuffer() {
		return this.allocator.ioBuffer();
	}

	@Override
	public ByteBuf ioBuffer(int initialCapacity) {
		return this.allocator.ioBuffer(initialCapacity);
	}

	@Override
	public ByteBuf ioBuffer(int initialCapacity, int maxCapacity) {
		return this.allocator.ioBuffer(initialCapacity, maxCapacity);
	}

	@Override
	public ByteBuf heapBuffer() {
		return this.allocator.heapBuffer();
	}

	@Override
	public ByteBuf heapBuffer(int initialCapacity) {
		return this.allocator.heapBuffer(initialCapacity);
	}

	@Override
	public ByteBuf heapBuffer(int initialCapacity, int maxCapacity) {
		return this.allocator.heapBuffer(initialCapacity, maxCapacity);
	}

	@Override
	public ByteBuf directBuffer() {
		return this.allocator.directBuffer();
	}

	@Override
	public ByteBuf directBuffer(int initialCapacity) {
		return this.allocator.directBuffer(initialCapacity);
	}

	@Override
	public ByteBuf directBuffer(int initialCapacity, int maxCapacity) {
		return this.allocator.directBuffer(initialCapacity, maxCapacity);
	}

	@Override
	public boolean isDirectBufferPooled() {
		return this.allocator.isDirectBufferPooled();
	}

	@Override
	public int calculateNewCapacity(int minNewCapacity, int maxCapacity) {
		return this.allocator.calculateNewCapacity(minNewCapacity, maxCapacity);
	}

}
