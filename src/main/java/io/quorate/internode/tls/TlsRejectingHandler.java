package io.quorate.internode.tls;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import io.quorate.security.RefusalLog;
import org.slf4j.event.Level;

/**
 * Refuses connections that speak TLS to a node without it.
 */
final class TlsRejectingHandler extends ChannelInboundHandlerAdapter {

	private final RefusalLog refusals;

	TlsRejectingHandler(RefusalLog refusals) {
		this.refusals = refusals;
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		if (message instanceof ByteBuf bytes && bytes.isReadable()) {
			if (bytes.getByte(bytes.readerIndex()) == EitherForm.TLS_HANDSHAKE) {
				ReferenceCountUtil.release(message);
				this.refusals.refused(Level.WARN, context.channel().remoteAddress(),
						"it speaks TLS, and this node does not (quorate.internode.tls)");
				var _ = context.close();
				return;
			}
			context.pipeline().remove(this);
		}
		context.fireChannelRead(message);
	}

}
