package io.quorate.api.transport;

import java.security.cert.CertificateException;

import javax.net.ssl.SSLException;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import org.jspecify.annotations.Nullable;

/**
 * Stands behind the handler of TLS: notes how the handshake has ended, and the names in
 * the certificate of the client. Failures of TLS end here. Belongs to its event loop.
 */
final class HandshakeEnd extends ChannelInboundHandlerAdapter {

	private static final String FAILED = "failed";

	private final HandshakeStart start;

	HandshakeEnd(HandshakeStart start) {
		this.start = start;
	}

	@Override
	public void userEventTriggered(ChannelHandlerContext context, Object event) {
		if (!(event instanceof SslHandshakeCompletionEvent handshake)) {
			context.fireUserEventTriggered(event);
			return;
		}
		if (!handshake.isSuccess()) {
			fail(context, handshake.cause());
			return;
		}
		try {
			ClientCertificate.note(context.channel(), context.pipeline().get(SslHandler.class).engine().getSession());
		}
		catch (CertificateException unusable) {
			fail(context, unusable);
			return;
		}
		this.start.succeeded();
		context.fireUserEventTriggered(event);
	}

	@Override
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		for (Throwable each = cause; each != null; each = each.getCause()) {
			if (each instanceof SSLException) {
				fail(context, cause);
				return;
			}
		}
		context.fireExceptionCaught(cause);
	}

	private void fail(ChannelHandlerContext context, Throwable cause) {
		this.start.refuse(FAILED, "TLS: " + innermost(cause));
		var _ = context.close();
	}

	private static String innermost(Throwable cause) {
		@Nullable String message = null;
		for (Throwable each = cause; each != null; each = each.getCause()) {
			message = (each.getMessage() != null) ? each.getMessage() : message;
		}
		return (message != null) ? message : cause.getClass().getSimpleName();
	}

}
