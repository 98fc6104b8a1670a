package io.quorate.api.transport;

import java.util.function.BooleanSupplier;

import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import reactor.netty.NettyPipeline;

import org.springframework.boot.reactor.netty.NettyServerCustomizer;
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
		return new EventLoopWatch(System::nanoTime, stalls::over);
	}

	@Bean
	NettyServerCustomizer requestLineCustomizer(Departing departing, EventLoopWatch watch) {
		return (server) -> server.doOnBound((bound) -> watch.watchAll(bound.channel().eventLoop()))
			.doOnChannelInit((_, channel, _) -> install(channel, departing, watch));
	}

	@Bean
	AnswerOnEventLoop answerOnEventLoop() {
		return new AnswerOnEventLoop();
	}

	private static void install(Channel channel, BooleanSupplier departing, EventLoopWatch watch) {
		ChannelPipeline pipeline = channel.pipeline();
		if (pipeline.get(NettyPipeline.HttpCodec) != null) {
			LoopTurns turns = watch.of(channel.eventLoop());
			SocketWatch socket = new SocketWatch(turns, watch.of(channel.parent().eventLoop()));
			pipeline.addFirst("quorate.socket-watch", socket);
			pipeline.addBefore(NettyPipeline.HttpCodec, "quorate.lingering-close", new LingeringClose());
			pipeline.addAfter(NettyPipeline.HttpCodec, "quorate.request-line", new RequestLineHandler());
			pipeline.addAfter("quorate.request-line", "quorate.pipelined-close", new PipelinedClose(departing));
			pipeline.addAfter("quorate.pipelined-close", "quorate.arrivals", new Arrivals(turns, socket));
		}
	}

}
