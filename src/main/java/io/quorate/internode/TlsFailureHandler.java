package io.quorate.internode;

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
 * Says why an encrypted connection has failed, and closes it. Those that end without a
 * word are no news. The last that was to be written is encrypted before a close, after
 * which that is an error.
 */
final class TlsFailureHandler extends ChannelDuplexHandler {

	/* An alert of who connects: it has a time limit, and a busy node is slow. */
	private static final String GIVEN_UP = "user_canceled";

	private final boolean isServer;

	private final BiConsumer<Level, String> why;

	/**
	 * Of a new connection.
	 * @param isServer whether handshakes are to be reported here; for who connects they
	 * are the outcome of the attempt
	 * @param why is told the reason, and how much it matters; perhaps more than once
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
	@SuppressWarnings("deprecation") // Of handlers for what goes out alone.
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		if (tell(context, cause)) {
			var _ = context.close();
		}
		else {
			context.fireExceptionCaught(cause);
		}
	}

	/** Whether it was a failure of TLS. */
	private boolean tell(ChannelHandlerContext context, @Nullable Throwable cause) {
		boolean isTls = false;
		String innermost = null;
		for (Throwable each = cause; each != null; each = each.getCause()) {
			if (each instanceof NotSslRecordException) {
				this.why.accept(Level.ERROR,
						"it does not speak TLS, and this node does (quorate.internode.ssl-bundle)");
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
