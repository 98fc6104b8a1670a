package io.quorate.api.transport;

import java.net.InetAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import reactor.netty.resources.LoopResources;
import org.springframework.boot.actuate.autoconfigure.web.server.ConditionalOnManagementPort;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementServerProperties;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.http.client.ReactorResourceFactory;

/**
 * The server for operators when it has a port of its own. It runs on an event loop of its
 * own, so that an overloaded node is not taken for a dead one, and at the address of the
 * clients' server unless it has one. It is a part of the operators' context alone, which
 * finds it through {@code META-INF}: the scan of the node must not.
 */
@ConditionalOnManagementPort(ManagementPortType.DIFFERENT)
class ManagementTransport {

	@Bean
	ReactorResourceFactory managementResources() {
		ReactorResourceFactory resources = new ReactorResourceFactory();
		resources.setUseGlobalResources(false);
		resources.setShutdownQuietPeriod(Duration.ZERO);
		resources.setLoopResourcesSupplier(() -> LoopResources.create("management", 1, true));
		return resources;
	}

	/* Without an address Spring Boot would listen on all of them. */
	@Bean
	WebServerFactoryCustomizer<NettyReactiveWebServerFactory> managementServer(ServerProperties server,
			ManagementServerProperties management, ReactorResourceFactory managementResources, PortTerms terms,
			SslBundles bundles) {
		InetAddress address = (management.getAddress() != null) ? management.getAddress() : server.getAddress();
		TlsDoor tls = TlsDoor.of("management", "management.server.ssl", management.getSsl(), bundles, terms);
		Door door = new Door(terms, new AtomicInteger(), address, tls);
		return (factory) -> {
			factory.setResourceFactory(managementResources);
			factory.setAddress(address);
			factory.addServerCustomizers((http) -> ((tls != null) ? tls.secure(http) : http)
				.doOnChannelInit((_, channel, _) -> door.furnish(channel.pipeline(), () -> false)));
		};
	}

}
