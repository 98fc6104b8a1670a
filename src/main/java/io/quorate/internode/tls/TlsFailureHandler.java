package io.quorate.internode.tls;

import java.util.function.BiConsumer;

import javax.net.ssl.SSLException;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslClosedEngineException;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * Reports the first reason for which an encrypted connection has failed, and closes it. A
 * connection that ends without an error is not reported. Bytes that still wait are
 * encrypted before a close; after it that is an error.
 */
final class TlsFailureHandler extends ChannelDuplexHandler {

	/* An alert of the connecting node: it has a time limit, and a busy node is slow. */
	private static final String GIVEN_UP = "user_canceled";

	private final boolean isServer;

	private final BiConsumer<Level, String> why;

	private boolean isEstablished;

	private boolean isReported;

	/**
	 * A handler of a new connection.
	 * @param isServer whether failed handshakes are reported here; at the connecting node
	 * they are the outcome of the attempt
	 * @param why receives the reason and its level, at most once
	 */
	TlsFailureHandler(boolean isServer, BiConsumer<Level, String> why) {
		this.isServer = isServer;
		this.why = why;
	}

	@Override
	public void userEventTriggered(ChannelHandlerContext context, Object event) {
		if (event instanceof SslHandshakeCompletionEvent handshake) {
			this.isEstablished = handshake.isSuccess();
			if (this.isServer && !handshake.isSuccess()) {
				tell(context, handshake.cause());
			}
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
		boolean isClosedEngine = false;
		String innermost = null;
		for (Throwable each = cause; each != null; each = each.getCause()) {
			if (each instanceof NotSslRecordException) {
				report(Level.ERROR, "it does not speak TLS, and this node does (quorate.internode.tls)");
				return true;
			}
			isTls |= each instanceof SSLException;
			isClosedEngine |= each instanceof SslClosedEngineException;
			innermost = each.getMessage();
		}
		// Netty closes the connection before it reports a record that is not decrypted.
		boolean isOfARecord = this.isEstablished && !isClosedEngine;
		if (isTls && (!this.isServer || isOfARecord || context.channel().isActive())) {
			boolean isGivenUp = innermost != null && innermost.contains(GIVEN_UP);
			report(isGivenUp ? Level.WARN : Level.ERROR, "TLS: " + innermost);
		}
		return isTls;
	}

	/* What is read behind the first fault is not understood either. */
	private void report(Level level, String reason) {
		if (!this.isReported) {
			this.isReported = true;
			this.why.accept(level, reason);
		}
	}

	@Override
	public void close(ChannelHandlerContext context, ChannelPromise promise) {
		context.flush();
		var _ = context.close(promise);
	}

}
