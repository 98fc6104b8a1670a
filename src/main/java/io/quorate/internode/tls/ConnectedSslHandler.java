package io.quorate.internode.tls;

import java.util.concurrent.Executor;

import javax.net.ssl.SSLEngine;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;

/**
 * The handler of TLS of a connection, whose failures end with it. A handshake computes on
 * other threads: when the peer closes meanwhile, the handlers that report a failure are
 * removed before it comes, and Netty would log it with its stack, as often as a stranger
 * likes.
 */
final class ConnectedSslHandler extends SslHandler {

	ConnectedSslHandler(SSLEngine engine, boolean startTls, Executor tasks) {
		super(engine, startTls, tasks);
	}

	@Override
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) throws Exception {
		if (!context.isRemoved()) {
			super.exceptionCaught(context, cause);
		}
	}

}
