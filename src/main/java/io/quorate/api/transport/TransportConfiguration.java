package io.quorate.api.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.quorate.clock.BootTime;

import org.springframework.boot.reactor.netty.NettyServerCustomizer;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Puts the handlers of this package into the pipeline of each client connection. */
@Configuration(proxyBeanMethods = false)
class TransportConfiguration {

	@Bean
	Departing departing() {
		return new Departing();
	}

	@Bean
	EventLoopWatch eventLoopWatch(Stalls stalls) {
		return new EventLoopWatch(BootTime::nanos, stalls::over);
	}

	@Bean
	NettyServerCustomizer doorCustomizer(PortTerms terms, ServerProperties properties, Departing departing,
			EventLoopWatch watch) {
		Door door = new Door(terms, terms.connections(), properties.getAddress());
		return (server) -> server.doOnBound((bound) -> watch.watchAll(bound.channel().eventLoop()))
			.doOnChannelInit((_, channel, _) -> {
				if (door.furnish(channel.pipeline(), departing)) {
					watchArrivals(channel, watch);
				}
			});
	}

	@Bean
	AnswerOnEventLoop answerOnEventLoop() {
		return new AnswerOnEventLoop();
	}

	private static void watchArrivals(Channel channel, EventLoopWatch watch) {
		ChannelPipeline pipeline = channel.pipeline();
		LoopTurns turns = watch.of(channel.eventLoop());
		SocketWatch socket = new SocketWatch(turns, watch.of(channel.parent().eventLoop()));
		pipeline.addFirst("quorate.socket-watch", socket);
		pipeline.addAfter(Door.LAST_HANDLER, "quorate.arrivals", new Arrivals(turns, socket));
	}

}
