package io.quorate.operations;

import java.nio.file.Path;

import io.quorate.QuorateApplication;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.web.reactive.server.WebTestClient;

/** The whole node, as it starts. */
class StatusControllerTests {

	@TempDir
	Path directory;

	@Test
	void aNodeSaysWhoItIsAndServesWhatItIsGiven() {
		try (ConfigurableApplicationContext node = new SpringApplication(QuorateApplication.class).run(
				"--server.port=0", "--quorate.storage.directory=" + this.directory, "--quorate.node.id=n7",
				"--quorate.cluster.name=west")) {
			WebTestClient client = WebClients.clients(node);
			client.get()
				.uri("/v0/status")
				.header("Accept", "image/png")
				.exchange()
				.expectStatus()
				.isOk()
				.expectHeader()
				.valueEquals("Cache-Control", "no-store")
				.expectBody()
				.jsonPath("$.node")
				.isEqualTo("n7")
				.jsonPath("$.cluster")
				.isEqualTo("west")
				.jsonPath("$.state")
				.isEqualTo("ready")
				.jsonPath("$.version")
				.isNotEmpty();
			client.put()
				.uri("/v0/entity?id=a")
				.bodyValue("value")
				.exchange()
				.expectStatus()
				.isCreated()
				.expectBody()
				.isEmpty();
			client.get().uri("/v0/entity?id=a").exchange().expectBody(String.class).isEqualTo("value");
			client.get().uri("/v0/entities?start=a").exchange().expectBody(String.class).isEqualTo("a\nvalue");
			client.put()
				.uri("/v0/status")
				.exchange()
				.expectStatus()
				.isEqualTo(405)
				.expectHeader()
				.valueEquals("Allow", "GET, HEAD")
				.expectBody()
				.jsonPath("$.status")
				.isEqualTo(405);
			client.get()
				.uri("/actuator/health/liveness")
				.exchange()
				.expectStatus()
				.isOk()
				.expectBody()
				.jsonPath("$.status")
				.isEqualTo("UP");
			client.get()
				.uri("/actuator/health/readiness")
				.exchange()
				.expectStatus()
				.isOk()
				.expectBody()
				.jsonPath("$.status")
				.isEqualTo("UP");
			client.get()
				.uri("/actuator/nothing")
				.exchange()
				.expectStatus()
				.isNotFound()
				.expectBody()
				.jsonPath("$.status")
				.isEqualTo(404);
			client.post()
				.uri("/v0/status")
				.exchange()
				.expectStatus()
				.isEqualTo(405)
				.expectBody()
				.jsonPath("$.type")
				.isEqualTo("urn:quorate:problem:method-not-allowed");
		}
	}

}
