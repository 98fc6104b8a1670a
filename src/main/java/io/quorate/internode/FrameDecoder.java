package io.quorate.internode;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes frames from what comes in. One that is too long ends the connection: what follows
 * cannot be told from its rest.
 */
final class FrameDecoder extends LengthFieldBasedFrameDecoder {

	private static final Logger log = LoggerFactory.getLogger(FrameDecoder.class);

	/* To close may fail, and come here again. */
	private boolean closing;

	FrameDecoder() {
		super(Wire.MAX_FRAME_BYTES, 0, FrameConnection.LENGTH_BYTES, 0, FrameConnection.LENGTH_BYTES);
	}

	@Override
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		if (cause instanceof DecoderException) {
			log.warn("The connection with {} is closed: {}", context.channel().remoteAddress(), cause.getMessage());
		}
		context.fireExceptionCaught(cause);
		if (!this.closing) {
			this.closing = true;
			var _ = context.close();
		}
	}

}
