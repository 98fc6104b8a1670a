package io.quorate.api.transport;

import java.util.concurrent.TimeUnit;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.AttributeKey;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/**
 * Closes a connection whose request was answered before its body was read: first only our
 * half of it, while bytes that still come are thrown away, for a while. Closing at once
 * would reset the connection under a client that is still sending, and take from it the
 * answer that says why (RFC 9112, 9.6).
 */
final class LingeringClose extends ChannelDuplexHandler {

	private static final long LINGER_MILLIS = 2_000;

	static final AttributeKey<Boolean> WANTED = AttributeKey.valueOf(LingeringClose.class, "wanted");

	private @Nullable ChannelPromise lingering;

	@Override
	public void close(ChannelHandlerContext context, ChannelPromise promise) {
		boolean wanted = Boolean.TRUE.equals(context.channel().attr(WANTED).get());
		if (this.lingering != null) {
			// The server and its HTTP library each close: the second one must not reset.
			var _ = context.channel().closeFuture().addListener((_) -> promise.trySuccess());
		}
		else if (wanted && context.channel().isActive() && context.channel() instanceof DuplexChannel channel) {
			this.lingering = promise;
			var _ = channel.shutdownOutput();
			channel.config().setAutoRead(true);
			var _ = context.executor().schedule(() -> {
				var _ = context.close(promise);
			}, LINGER_MILLIS, TimeUnit.MILLISECONDS);
		}
		else {
			var _ = context.close(promise);
		}
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		if (this.lingering != null) {
			ReferenceCountUtil.release(message);
		}
		else {
			context.fireChannelRead(message);
		}
	}

}
