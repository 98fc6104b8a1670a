package io.quorate.internode.tls;

import java.util.List;
import java.util.concurrent.Executor;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSessionContext;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.ApplicationProtocolNegotiator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;

/**
 * A context that gives each new connection one of its own, with the newest keys and
 * certificates; an open connection keeps those that it began with. Safe for any number of
 * threads.
 * <p>
 * Sessions, and the keys of tickets for them, belong to a context: in a new context there
 * is nothing to resume, so that both sides show their certificates each time. No setting
 * of a shared context achieves that: its sessions last for a second at least, as 0 stands
 * for no end, and the size of its cache bounds no tickets.
 */
final class RenewableSslContext extends SslContext {

	private final Executor tasks;

	private volatile Newest newest;

	/**
	 * A context with these settings from the beginning, whose handshakes compute where
	 * they are.
	 * @throws SSLException when they cannot be used
	 */
	RenewableSslContext(SslContextBuilder first) throws SSLException {
		this(first, Runnable::run);
	}

	/**
	 * A context with these settings from the beginning.
	 * @param tasks runs the long computations of handshakes
	 * @throws SSLException when the settings cannot be used
	 */
	RenewableSslContext(SslContextBuilder first, Executor tasks) throws SSLException {
		this.newest = new Newest(first, first.build());
		this.tasks = tasks;
	}

	/**
	 * Tries other settings, which must not be changed any more.
	 * @return task that makes new connections use them from then on
	 * @throws SSLException when they cannot be used
	 */
	Runnable tried(SslContextBuilder next) throws SSLException {
		Newest usable = new Newest(next, next.build());
		return () -> this.newest = usable;
	}

	@Override
	public boolean isClient() {
		return this.newest.tried.isClient();
	}

	@Override
	public List<String> cipherSuites() {
		return this.newest.tried.cipherSuites();
	}

	@Override
	@SuppressWarnings("deprecation") // An abstract method, which no code here calls.
	public ApplicationProtocolNegotiator applicationProtocolNegotiator() {
		return this.newest.tried.applicationProtocolNegotiator();
	}

	@Override
	public SSLEngine newEngine(ByteBufAllocator allocator) {
		return this.newest.another().newEngine(allocator);
	}

	@Override
	public SSLEngine newEngine(ByteBufAllocator allocator, String host, int port) {
		return this.newest.another().newEngine(allocator, host, port);
	}

	@Override
	protected SslHandler newHandler(ByteBufAllocator allocator, boolean startTls) {
		return new ConnectedSslHandler(newEngine(allocator), startTls, this.tasks);
	}

	@Override
	protected SslHandler newHandler(ByteBufAllocator allocator, String host, int port, boolean startTls) {
		return new ConnectedSslHandler(newEngine(allocator, host, port), startTls, this.tasks);
	}

	/** The sessions of no connection. */
	@Override
	public SSLSessionContext sessionContext() {
		return this.newest.tried.sessionContext();
	}

	/* The context that was tried belongs to no connection. */
	private record Newest(SslContextBuilder builder, SslContext tried) {

		SslContext another() {
			try {
				return this.builder.build();
			}
			catch (SSLException failure) {
				throw new IllegalStateException("settings that could be used before cannot be any more", failure);
			}
		}

	}

	/**
	 * The handler of TLS of a connection, whose failures end with it. A handshake
	 * computes on other threads: when the peer closes meanwhile, the handlers that report
	 * a failure are removed before it comes, and Netty would log it with its stack, as
	 * often as a stranger likes.
	 */
	private static final class ConnectedSslHandler extends SslHandler {

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

}
