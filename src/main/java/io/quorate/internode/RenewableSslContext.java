package io.quorate.internode;

import java.util.List;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSessionContext;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ApplicationProtocolNegotiator;
import io.netty.handler.ssl.SslContext;

/**
 * Gives each new connection the newest keys and certificates; a connection that is there
 * keeps those that it began with. Safe for any number of threads.
 */
final class RenewableSslContext extends SslContext {

	private volatile SslContext newest;

	RenewableSslContext(SslContext first) {
		this.newest = first;
	}

	/** From now on new connections have these. */
	void renew(SslContext next) {
		this.newest = next;
	}

	@Override
	public boolean isClient() {
		return this.newest.isClient();
	}

	@Override
	public List<String> cipherSuites() {
		return this.newest.cipherSuites();
	}

	@Override
	@SuppressWarnings("deprecation") // It has to be told, and is asked by nobody here.
	public ApplicationProtocolNegotiator applicationProtocolNegotiator() {
		return this.newest.applicationProtocolNegotiator();
	}

	@Override
	public SSLEngine newEngine(ByteBufAllocator allocator) {
		return this.newest.newEngine(allocator);
	}

	@Override
	public SSLEngine newEngine(ByteBufAllocator allocator, String host, int port) {
		return this.newest.newEngine(allocator, host, port);
	}

	@Override
	public SSLSessionContext sessionContext() {
		return this.newest.sessionContext();
	}

}
