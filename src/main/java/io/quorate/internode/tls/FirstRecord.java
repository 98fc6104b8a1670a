package io.quorate.internode.tls;

import java.io.IOException;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;

/**
 * Notices a peer that closes a connection before it has sent any byte: it does not speak
 * TLS. The first handler of a connection that this node has made, so that it sees what
 * comes from the network; a close by this node says nothing.
 */
final class FirstRecord extends ChannelDuplexHandler {

	private final Runnable unanswered;

	private boolean isOver;

	FirstRecord(Runnable unanswered) {
		this.unanswered = unanswered;
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		this.isOver = true;
		context.pipeline().remove(this);
		context.fireChannelRead(message);
	}

	@Override
	public void close(ChannelHandlerContext context, ChannelPromise promise) {
		this.isOver = true;
		var _ = context.close(promise);
	}

	@Override
	public void channelInactive(ChannelHandlerContext context) {
		closed();
		context.fireChannelInactive();
	}

	/** A peer that closes before it has read everything resets the connection. */
	@Override
	@SuppressWarnings("deprecation") // Deprecated for outbound handlers only.
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		if (cause instanceof IOException) {
			closed();
		}
		context.fireExceptionCaught(cause);
	}

	private void closed() {
		if (!this.isOver) {
			this.isOver = true;
			this.unanswered.run();
		}
	}

}
