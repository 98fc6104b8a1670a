package io.quorate.api.transport;

import io.netty.channel.Channel;
import io.quorate.clock.BootTime;
import org.jspecify.annotations.Nullable;
import reactor.netty.http.server.HttpServer;
import org.springframework.boot.reactor.netty.NettyServerCustomizer;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The ports of clients, and what their connections share. */
@Configuration(proxyBeanMethods = false)
class TransportConfiguration {

	@Bean
	Departing departing() {
		return new Departing();
	}

	@Bean
	Stalls stalls() {
		return new Stalls(BootTime::nanos);
	}

	@Bean
	NettyServerCustomizer doorCustomizer(PortTerms terms, ServerProperties properties, Departing departing,
			Stalls stalls, SslBundles bundles) {
		TlsDoor tls = TlsDoor.of("clients", "server.ssl", properties.getSsl(), bundles, terms);
		Door door = new Door(terms, terms.connections(), properties.getAddress(), tls);
		return new ClientPort(door, tls, departing, stalls);
	}

	@Bean
	AnswerOnEventLoop answerOnEventLoop() {
		return new AnswerOnEventLoop();
	}

	/**
	 * Puts the handlers of this package into the pipeline of each connection of clients.
	 */
	private record ClientPort(Door door, @Nullable TlsDoor tls, Departing departing,
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
			Arrival arrival = new Arrival(this.stalls.of(channel.eventLoop()),
					this.stalls.of(channel.parent().eventLoop()), gate);
			channel.pipeline().addFirst("quorate.arrival", arrival);
			channel.pipeline().get(PipelinedClose.class).of(arrival);
		}

	}

}
