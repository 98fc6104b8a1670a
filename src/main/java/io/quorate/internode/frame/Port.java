package io.quorate.internode.frame;

import java.net.InetSocketAddress;

import io.rsocket.Closeable;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;

/** A listening port. */
public record Port(DisposableServer server) implements Closeable {

	public InetSocketAddress address() {
		return (InetSocketAddress) this.server.address();
	}

	@Override
	public Mono<Void> onClose() {
		return this.server.onDispose();
	}

	@Override
	public void dispose() {
		this.server.dispose();
	}

	@Override
	public boolean isDisposed() {
		return this.server.isDisposed();
	}

}
