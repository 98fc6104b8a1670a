package io.quorate.internode;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;

/**
 * Takes frames from what comes in. One that is too long ends the connection: what follows
 * cannot be told from its rest.
 */
final class FrameDecoder extends LengthFieldBasedFrameDecoder {

	FrameDecoder() {
		super(Wire.MAX_FRAME_BYTES, 0, FrameConnection.LENGTH_BYTES, 0, FrameConnection.LENGTH_BYTES);
	}

	@Override
	@SuppressWarnings("deprecation") // of the handler that tells, not of this one
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		context.fireExceptionCaught(cause);
		var _ = context.close();
	}

}
