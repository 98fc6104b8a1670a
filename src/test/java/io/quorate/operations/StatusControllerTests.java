package io.quorate.operations;

import io.quorate.SharedNode;
import io.quorate.security.access.AccessOverview;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.Store;
import org.junit.jupiter.api.Test;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.http.MediaType;
import org.springframework.test.web.reactive.server.WebTestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/** The whole node, which serves under the key {@code status}. */
class StatusControllerTests {

	/* As the probe of its readiness, which has the store, too. */
	@Test
	void aNodeWhoseLogHasFailedIsNotReady() {
		ApplicationAvailability availability = mock(ApplicationAvailability.class);
		given(availability.getReadinessState()).willReturn(ReadinessState.ACCEPTING_TRAFFIC);
		ClusterHealth cluster = mock(ClusterHealth.class);
		given(cluster.isReady()).willReturn(true);
		Store store = mock(Store.class);
		StatusController controller = new StatusController(new NodeLabel("n1", "west", "1"), availability, cluster,
				new StoreHealth(store), mock(AccessOverview.class));
		assertThat(controller.status().getBody()).extracting(NodeStatus::state).isEqualTo("ready");
		given(store.failure()).willReturn(new StorageFailedException("no force any more", null));
		assertThat(controller.status().getBody()).extracting(NodeStatus::state).isEqualTo("not-ready");
	}

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
