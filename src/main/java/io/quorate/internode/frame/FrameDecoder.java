package io.quorate.internode.frame;

import java.nio.ByteOrder;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.TooLongFrameException;
import io.quorate.internode.wire.Wire;

/**
 * Splits incoming bytes into frames. A frame that is too long ends the connection: its
 * rest cannot be distinguished from the frames that follow.
 */
final class FrameDecoder extends LengthFieldBasedFrameDecoder {

	private final IntSupplier maxBytes;

	private final Consumer<String> refused;

	/* A close may fail, and its failure comes here again. */
	private boolean closing;

	/**
	 * A decoder of a new connection.
	 * @param maxBytes size of the longest frame that is taken now
	 * @param refused receives the reason for which the connection is closed
	 */
	FrameDecoder(IntSupplier maxBytes, Consumer<String> refused) {
		super(Wire.MAX_FRAME_BYTES, 0, Frame.LENGTH_BYTES, 0, Frame.LENGTH_BYTES);
		this.maxBytes = maxBytes;
		this.refused = refused;
	}

	@Override
	protected long getUnadjustedFrameLength(ByteBuf buffer, int offset, int length, ByteOrder order) {
		long frame = super.getUnadjustedFrameLength(buffer, offset, length, order);
		int most = this.maxBytes.getAsInt();
		if (frame > most) {
			throw new TooLongFrameException("a frame of %d bytes, at most %d are taken".formatted(frame, most));
		}
		return frame;
	}

	@Override
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		if (!(cause instanceof DecoderException)) {
			context.fireExceptionCaught(cause);
		}
		if (!this.closing) {
			this.closing = true;
			if (cause instanceof DecoderException) {
				this.refused.accept("not understood: " + cause.getMessage());
			}
			var _ = context.close();
		}
	}

}
