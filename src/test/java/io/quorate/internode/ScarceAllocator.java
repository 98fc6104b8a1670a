package io.quorate.internode;

import java.util.concurrent.atomic.AtomicInteger;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.netty.buffer.UnpooledHeapByteBuf;

/** An allocator that has so many bytes outside the heap and no more. */
public final class ScarceAllocator extends AbstractByteBufAllocator {

	private final int room;

	private final AtomicInteger taken = new AtomicInteger();

	public ScarceAllocator(int room) {
		super(true);
		this.room = room;
	}

	/** Bytes outside the heap that are not released. */
	public int taken() {
		return this.taken.get();
	}

	@Override
	public boolean isDirectBufferPooled() {
		return false;
	}

	@Override
	protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
		return new UnpooledHeapByteBuf(this, initialCapacity, maxCapacity);
	}

	@Override
	protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
		if (this.taken.addAndGet(initialCapacity) > this.room) {
			this.taken.addAndGet(-initialCapacity);
			throw new OutOfMemoryError("%d bytes outside the heap".formatted(this.room));
		}
		return new UnpooledDirectByteBuf(this, initialCapacity, maxCapacity) {

			@Override
			protected void deallocate() {
				super.deallocate();
				ScarceAllocator.this.taken.addAndGet(-initialCapacity);
			}

		};
	}

}
