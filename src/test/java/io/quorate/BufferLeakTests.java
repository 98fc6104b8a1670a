package io.quorate;

import java.time.Duration;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** That the watch over Netty's buffers is really awake. */
class BufferLeakTests {

	@Test
	void droppedBufferIsFound() {
		drop();
		BufferLeaks.search(Duration.ofSeconds(10));
		assertThat(BufferLeaks.drain()).anyMatch((leak) -> leak.contains("BufferLeakTests"));
	}

	@Test
	void releasedBufferIsNone() {
		ByteBufAllocator.DEFAULT.buffer(64).release();
		BufferLeaks.search(Duration.ofMillis(100));
		assertThat(BufferLeaks.drain()).isEmpty();
	}

	private static void drop() {
		for (int i = 0; i < 10; i++) {
			ByteBuf dropped = ByteBufAllocator.DEFAULT.buffer(64);
			dropped.writeLong(i);
		}
	}

}
