package io.quorate.api.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import org.jspecify.annotations.Nullable;
import reactor.netty.http.server.HttpServer;
import org.springframework.boot.reactor.netty.NettyServerCustomizer;

/** Puts the handlers of this package into the pipeline of each connection of clients. */
record ClientPort(Door door, @Nullable TlsDoor tls, Departing departing,
		EventLoopWatch watch) implements NettyServerCustomizer {

	@Override
	public HttpServer apply(HttpServer server) {
		HttpServer secured = (this.tls != null) ? this.tls.secure(server) : server;
		return secured.doOnBound((bound) -> this.watch.watchAll(bound.channel().eventLoop()))
			.doOnChannelInit((_, channel, _) -> {
				if (this.door.furnish(channel.pipeline(), this.departing)) {
					watchArrivals(channel);
				}
			});
	}

	private void watchArrivals(Channel channel) {
		ChannelPipeline pipeline = channel.pipeline();
		LoopTurns turns = this.watch.of(channel.eventLoop());
		SocketWatch socket = new SocketWatch(turns, this.watch.of(channel.parent().eventLoop()));
		pipeline.addFirst("quorate.socket-watch", socket);
		pipeline.addAfter(Door.LAST_HANDLER, "quorate.arrivals", new Arrivals(turns, socket));
	}

}
