package io.quorate.internode.tls;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ReleaseAfterWriteTests {

	/*
	 * What encryption does: it takes what it is given, and writes something else later.
	 */
	private final List<ChannelPromise> waiting = new ArrayList<>();

	private final EmbeddedChannel channel = new EmbeddedChannel(new ChannelOutboundHandlerAdapter() {

		@Override
		public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
			ReferenceCountUtil.release(message);
			ReleaseAfterWriteTests.this.waiting.add(promise);
		}

	}, new ReleaseAfterWrite());

	private final ByteBuf buffer = Unpooled.buffer(8).writeLong(1);

	@Test
	void aBufferIsReleasedWhenItWasWritten() {
		ChannelFuture written = this.channel.write(this.buffer);
		assertThat(this.buffer.refCnt()).isOne();
		assertThat(written.isDone()).isFalse();
		this.waiting.getFirst().setSuccess();
		assertThat(this.buffer.refCnt()).isZero();
		assertThat(written.isSuccess()).isTrue();
	}

	@Test
	void aBufferIsReleasedWhenItCanNotBeWritten() {
		ChannelFuture written = this.channel.write(this.buffer);
		IOException gone = new IOException("the peer is gone");
		this.waiting.getFirst().setFailure(gone);
		assertThat(this.buffer.refCnt()).isZero();
		assertThat(written.cause()).isSameAs(gone);
	}

}
