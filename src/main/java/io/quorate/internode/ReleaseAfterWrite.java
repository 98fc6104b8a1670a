package io.quorate.internode;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;

/**
 * Holds buffers until what they became was written: encryption takes any number of them,
 * and would release them, and with them what they count for, while the encrypted bytes
 * still wait for a peer that does not read.
 */
final class ReleaseAfterWrite extends ChannelOutboundHandlerAdapter {

	@Override
	public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
		if (!(message instanceof ByteBuf buffer)) {
			var _ = context.write(message, promise);
			return;
		}
		buffer.retain();
		ChannelPromise written = context.newPromise();
		written.addListener((_) -> {
			buffer.release();
			if (written.isSuccess()) {
				promise.trySuccess();
			}
			else {
				promise.tryFailure(written.cause());
			}
		});
		var _ = context.write(message, written);
	}

}
