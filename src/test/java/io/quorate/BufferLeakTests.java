package io.quorate;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** That the watch over Netty's buffers is really awake. */
class BufferLeakTests {

	@Test
	void droppedBufferIsFound() throws InterruptedException {
		drop();
		BufferLeaks.search();
		assertThat(BufferLeaks.drain()).anyMatch((leak) -> leak.contains("BufferLeakTests"));
	}

	@Test
	void releasedBufferIsNone() throws InterruptedException {
		ByteBufAllocator.DEFAULT.buffer(64).release();
		BufferLeaks.search();
		assertThat(BufferLeaks.drain()).isEmpty();
	}

	private static void drop() {
		for (int i = 0; i < 10; i++) {
			ByteBuf dropped = ByteBufAllocator.DEFAULT.buffer(64);
			dropped.writeLong(i);
		}
	}

}
