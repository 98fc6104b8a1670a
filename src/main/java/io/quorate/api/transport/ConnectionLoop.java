package io.quorate.api.transport;

import io.netty.channel.EventLoop;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.netty.http.server.HttpServerRequest;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;

/** The way back to the event loop of a connection, for a request that has left it. */
public final class ConnectionLoop {

	private ConnectionLoop() {
	}

	/** The event loop of the connection of a request. */
	public static Scheduler of(ServerHttpRequest request) {
		HttpServerRequest nettyRequest = ServerHttpRequestDecorator.getNativeRequest(request);
		EventLoop[] found = new EventLoop[1];
		nettyRequest.withConnection((connection) -> found[0] = connection.channel().eventLoop());
		return Schedulers.fromExecutor(found[0]);
	}

}
