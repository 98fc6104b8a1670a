package io.quorate.internode.tls;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;

/**
 * Retains buffers until their encrypted bytes are written. Encryption takes any number of
 * buffers, and would release them, and with them their budgets, while the encrypted bytes
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
