package io.quorate.internode.frame;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.AfterEach;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A channel in memory, and a receiver of its messages. After each test nothing is kept.
 */
abstract class EmbeddedFrames {

	final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);

	final EmbeddedChannel channel = new EmbeddedChannel();

	final RecordedReceiver receiver = new RecordedReceiver();

	EmbeddedFrames() {
		this.channel.config().setAllocator(this.allocator);
	}

	/** Sends what waits for the end of the turn, and drops it. */
	void dropOutbound() {
		this.channel.runPendingTasks();
		this.channel.releaseOutbound();
	}

	@AfterEach
	void closeAndKeepNothing() {
		var _ = this.channel.close();
		dropOutbound();
		assertThat(this.allocator.metric().usedDirectMemory()).isZero();
		assertThat(this.receiver.events).endsWith("closed");
	}

	/** The connection is closed for a reason that contains these words. */
	void requireRefused(String why) {
		assertThat(this.receiver.events).anySatisfy((event) -> assertThat(event).startsWith("refused").contains(why));
		assertThat(this.channel.isOpen()).isFalse();
	}

}
