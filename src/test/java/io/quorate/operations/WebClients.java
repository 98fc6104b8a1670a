package io.quorate.operations;

import java.time.Duration;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.web.reactive.server.WebTestClient;

/** Clients of a node that runs in this process, on any free ports. */
final class WebClients {

	/* On a busy machine the first answer of a node can take many seconds. */
	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private WebClients() {
	}

	/** A client of the port for clients. */
	static WebTestClient clients(ConfigurableApplicationContext node) {
		return at(node, "local.server.port");
	}

	/** A client of the port for operators. */
	static WebTestClient operators(ConfigurableApplicationContext node) {
		return at(node, "local.management.port");
	}

	private static WebTestClient at(ConfigurableApplicationContext node, String port) {
		return WebTestClient.bindToServer()
			.responseTimeout(PATIENCE)
			.baseUrl("http://127.0.0.1:" + node.getEnvironment().getProperty(port))
			.build();
	}

}
