package io.quorate.api.transport;

import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;
import reactor.netty.http.server.HttpServer;
import org.springframework.boot.reactor.netty.NettyServerCustomizer;

/** Puts the handlers of this package into the pipeline of each connection of clients. */
record ClientPort(Door door, @Nullable TlsDoor tls, Departing departing,
		Stalls stalls) implements NettyServerCustomizer {

	@Override
	public HttpServer apply(HttpServer server) {
		HttpServer secured = (this.tls != null) ? this.tls.secure(server) : server;
		return secured.doOnBound((bound) -> this.stalls.watchAll(bound.channel().eventLoop()))
			.doOnChannelInit((_, channel, _) -> {
				PipelineGate gate = this.door.furnish(channel.pipeline(), this.departing);
				if (gate != null) {
					noteArrivals(channel, gate);
				}
			});
	}

	private void noteArrivals(Channel channel, PipelineGate gate) {
		Arrival arrival = new Arrival(this.stalls.of(channel.eventLoop()), this.stalls.of(channel.parent().eventLoop()),
				gate);
		channel.pipeline().addFirst("quorate.arrival", arrival);
		channel.pipeline().get(PipelinedClose.class).of(arrival);
	}

}
