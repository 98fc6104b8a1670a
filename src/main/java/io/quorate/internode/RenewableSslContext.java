package io.quorate.internode;

import java.util.List;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSessionContext;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ApplicationProtocolNegotiator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;

/**
 * Gives each new connection a context of its own, with the newest keys and certificates;
 * a connection that is there keeps those that it began with. Safe for any number of
 * threads.
 * <p>
 * Sessions, and the keys of tickets for them, belong to a context: in one that is new
 * there is nothing to resume, so that both sides show their certificates each time. No
 * setting of a shared context does that: its sessions last for a second at least, as 0
 * stands for no end, and a size of its cache bounds no tickets.
 */
final class RenewableSslContext extends SslContext {

	private volatile Newest newest;

	/**
	 * With these from the beginning.
	 * @throws SSLException when they cannot be used
	 */
	RenewableSslContext(SslContextBuilder first) throws SSLException {
		this.newest = new Newest(first, first.build());
	}

	/**
	 * Tries these, which nobody changes any more.
	 * @return to be run for new connections to have them from then on
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
	@SuppressWarnings("deprecation") // It has to be told, and is asked by nobody here.
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

	/** Of no connection. */
	@Override
	public SSLSessionContext sessionContext() {
		return this.newest.tried.sessionContext();
	}

	/* The context that was tried is that of no connection. */
	private record Newest(SslContextBuilder builder, SslContext tried) {

		SslContext another() {
			try {
				return this.builder.build();
			}
			catch (SSLException failure) {
				throw new IllegalStateException("what could be used before cannot be any more", failure);
			}
		}

	}

}
