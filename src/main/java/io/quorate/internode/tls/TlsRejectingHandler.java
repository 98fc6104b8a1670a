package io.quorate.internode.tls;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import io.quorate.security.RefusalLog;

/**
 * Refuses connections that speak TLS to a node without it. A frame begins with its
 * length, and none is so long that it could be taken for the beginning of a TLS
 * handshake.
 */
final class TlsRejectingHandler extends ChannelInboundHandlerAdapter {

	private static final byte TLS_HANDSHAKE = 0x16;

	private final RefusalLog refusals;

	TlsRejectingHandler(RefusalLog refusals) {
		this.refusals = refusals;
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		if (message instanceof ByteBuf bytes && bytes.isReadable()) {
			if (bytes.getByte(bytes.readerIndex()) == TLS_HANDSHAKE) {
				ReferenceCountUtil.release(message);
				this.refusals.refused(context.channel().remoteAddress(),
						"it speaks TLS, and this node does not (quorate.internode.ssl-bundle)");
				var _ = context.close();
				return;
			}
			context.pipeline().remove(this);
		}
		context.fireChannelRead(message);
	}

}
