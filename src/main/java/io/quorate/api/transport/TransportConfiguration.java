package io.quorate.api.transport;

import java.util.function.BooleanSupplier;

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
	NettyServerCustomizer requestLineCustomizer(Departing departing) {
		return (server) -> server.doOnChannelInit((_, channel, _) -> install(channel.pipeline(), departing));
	}

	@Bean
	AnswerOnEventLoop answerOnEventLoop() {
		return new AnswerOnEventLoop();
	}

	private static void install(ChannelPipeline pipeline, BooleanSupplier departing) {
		if (pipeline.get(NettyPipeline.HttpCodec) != null) {
			pipeline.addBefore(NettyPipeline.HttpCodec, "quorate.lingering-close", new LingeringClose());
			pipeline.addAfter(NettyPipeline.HttpCodec, "quorate.request-line", new RequestLineHandler());
			pipeline.addAfter("quorate.request-line", "quorate.pipelined-close", new PipelinedClose(departing));
		}
	}

}
