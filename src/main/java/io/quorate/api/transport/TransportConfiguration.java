package io.quorate.api.transport;

import io.quorate.clock.BootTime;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.AutowireCapableBeanFactory;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.reactor.netty.NettyServerCustomizer;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.http.server.reactive.HttpHandler;

/** The ports of clients, and what their connections share. */
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
			EventLoopWatch watch, SslBundles bundles) {
		TlsDoor tls = TlsDoor.of("clients", "server.ssl", properties.getSsl(), bundles, terms);
		Door door = new Door(terms, terms.connections(), properties.getAddress(), tls);
		return new ClientPort(door, tls, departing, watch);
	}

	/*
	 * A server like the one with TLS: the customizers of Spring Boot give it the same
	 * settings.
	 */
	@Bean
	PlainPort plainPort(PortTerms terms, ServerProperties properties, Departing departing, EventLoopWatch watch,
			ObjectProvider<HttpHandler> handler, ObjectProvider<ReactorResourceFactory> resources,
			AutowireCapableBeanFactory beans) {
		return new PlainPort(terms.plainPort(), (port) -> {
			NettyReactiveWebServerFactory factory = new NettyReactiveWebServerFactory();
			factory.setResourceFactory(resources.getObject());
			beans.initializeBean(factory, "plainPortFactory");
			factory.setPort(port);
			factory.setSsl(null);
			Door door = new Door(terms, terms.connections(), properties.getAddress(), null);
			factory.addServerCustomizers(new ClientPort(door, null, departing, watch));
			return factory.getWebServer(handler.getObject());
		});
	}

	@Bean
	AnswerOnEventLoop answerOnEventLoop() {
		return new AnswerOnEventLoop();
	}

}
