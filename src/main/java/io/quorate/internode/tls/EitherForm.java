package io.quorate.internode.tls;

import java.util.function.BiConsumer;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;

/**
 * Decides by the first byte of an accepted connection whether it is encrypted: a frame
 * begins with its length, and none is so long that it could be taken for the beginning of
 * a TLS handshake. The handlers behind this one learn of the connection when its form is
 * known, and of an encrypted one after its handshake.
 */
final class EitherForm extends ChannelInboundHandlerAdapter {

	/** First byte of a TLS handshake. */
	static final byte TLS_HANDSHAKE = 0x16;

	private final BiConsumer<ChannelPipeline, String> encryption;

	/**
	 * The handler of a new connection.
	 * @param encryption adds the handlers of TLS to a pipeline, behind the handler of
	 * that name
	 */
	EitherForm(BiConsumer<ChannelPipeline, String> encryption) {
		this.encryption = encryption;
	}

	@Override
	public void channelActive(ChannelHandlerContext context) {
		context.read();
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		if (!(message instanceof ByteBuf bytes) || !bytes.isReadable()) {
			ReferenceCountUtil.release(message);
			context.read();
			return;
		}
		ChannelPipeline pipeline = context.pipeline();
		if (bytes.getByte(bytes.readerIndex()) == TLS_HANDSHAKE) {
			pipeline.addAfter(context.name(), "quorate.handshaken", new Handshaken());
			this.encryption.accept(pipeline, context.name());
		}
		else {
			context.fireChannelActive();
		}
		// Last: a context that is removed does not learn of handlers that come after it.
		pipeline.remove(this);
		context.fireChannelRead(message);
	}

	/**
	 * Tells the handlers behind it of the connection when its handshake has succeeded.
	 */
	private static final class Handshaken extends ChannelInboundHandlerAdapter {

		@Override
		public void userEventTriggered(ChannelHandlerContext context, Object event) {
			if (event instanceof SslHandshakeCompletionEvent handshake) {
				context.pipeline().remove(this);
				if (handshake.isSuccess()) {
					context.fireChannelActive();
				}
			}
			context.fireUserEventTriggered(event);
		}

	}

}
