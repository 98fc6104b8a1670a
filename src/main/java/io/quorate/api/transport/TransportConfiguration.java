package io.quorate.api.transport;

import io.quorate.clock.BootTime;
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

}
