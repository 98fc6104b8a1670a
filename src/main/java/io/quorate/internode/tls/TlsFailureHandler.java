package io.quorate.internode.tls;

import java.util.function.BiConsumer;

import javax.net.ssl.SSLException;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * Reports the reason for which an encrypted connection has failed, and closes it. A
 * connection that ends without an error is not reported. Bytes that still wait are
 * encrypted before a close; after it that is an error.
 */
final class TlsFailureHandler extends ChannelDuplexHandler {

	/* An alert of the connecting node: it has a time limit, and a busy node is slow. */
	private static final String GIVEN_UP = "user_canceled";

	private final boolean isServer;

	private final BiConsumer<Level, String> why;

	/**
	 * A handler of a new connection.
	 * @param isServer whether failed handshakes are reported here; at the connecting node
	 * they are the outcome of the attempt
	 * @param why receives the reason and its level; perhaps more than once
	 */
	TlsFailureHandler(boolean isServer, BiConsumer<Level, String> why) {
		this.isServer = isServer;
		this.why = why;
	}

	@Override
	public void userEventTriggered(ChannelHandlerContext context, Object event) {
		if (this.isServer && event instanceof SslHandshakeCompletionEvent handshake && !handshake.isSuccess()) {
			tell(context, handshake.cause());
		}
		context.fireUserEventTriggered(event);
	}

	@Override
	@SuppressWarnings("deprecation") // Deprecated for outbound handlers only.
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		if (tell(context, cause)) {
			var _ = context.close();
		}
		else {
			context.fireExceptionCaught(cause);
		}
	}

	/** Reports a failure, and returns whether it was one of TLS. */
	private boolean tell(ChannelHandlerContext context, @Nullable Throwable cause) {
		boolean isTls = false;
		String innermost = null;
		for (Throwable each = cause; each != null; each = each.getCause()) {
			if (each instanceof NotSslRecordException) {
				this.why.accept(Level.ERROR, "it does not speak TLS, and this node does (quorate.internode.tls)");
				return true;
			}
			isTls |= each instanceof SSLException;
			innermost = each.getMessage();
		}
		if (isTls && (!this.isServer || context.channel().isActive())) {
			boolean isGivenUp = innermost != null && innermost.contains(GIVEN_UP);
			this.why.accept(isGivenUp ? Level.WARN : Level.ERROR, "TLS: " + innermost);
		}
		return isTls;
	}

	@Override
	public void close(ChannelHandlerContext context, ChannelPromise promise) {
		context.flush();
		var _ = context.close(promise);
	}

}
