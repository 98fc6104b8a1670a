package io.quorate.operations;

import io.quorate.SharedNode;
import org.junit.jupiter.api.Test;
import org.springframework.http.MediaType;
import org.springframework.test.web.reactive.server.WebTestClient;

/** The whole node, which serves under the key {@code status}. */
class StatusControllerTests {

	@Test
	void aNodeSaysWhoItIsAndServesWhatItIsGiven() {
		WebTestClient client = WebClients.clients(SharedNode.OPEN.context());
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
			.uri("/v0/entity?id=status")
			.bodyValue("value")
			.exchange()
			.expectStatus()
			.isCreated()
			.expectBody()
			.isEmpty();
		client.get().uri("/v0/entity?id=status").exchange().expectBody(String.class).isEqualTo("value");
		client.get()
			.uri("/v0/entities?start=status&end=statut")
			.accept(MediaType.APPLICATION_OCTET_STREAM)
			.exchange()
			.expectBody(String.class)
			.isEqualTo("status\nvalue");
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
