package io.quorate.operations;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.quorate.QuorateApplication;
import io.quorate.membership.MemberState;
import io.quorate.membership.Membership;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.web.reactive.server.WebTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/** The stop of a whole node, as clients and probes see it. */
class DrainTests {

	private static final Duration DELAY = Duration.ofSeconds(3);

	@TempDir
	private Path directory;

	private ConfigurableApplicationContext node;

	private WebTestClient client;

	private WebTestClient management;

	private CompletableFuture<Void> stopped = CompletableFuture.completedFuture(null);

	@BeforeEach
	void start() {
		this.node = new SpringApplication(QuorateApplication.class).run("--server.port=0", "--management.server.port=0",
				"--quorate.storage.directory=" + this.directory,
				"--quorate.operations.drain-delay=" + DELAY.toMillis() + "ms");
		this.management = WebClients.operators(this.node);
		this.client = WebClients.clients(this.node);
	}

	@AfterEach
	void stop() {
		this.stopped.orTimeout(60, TimeUnit.SECONDS).join();
	}

	@Test
	void aNodeIsNotReadyFirstServesForAWhileAndThenCloses() {
		long begun = System.nanoTime();
		assertThat(status("/actuator/health/readiness")).isEqualTo(200);
		this.stopped = CompletableFuture.runAsync(this.node::close);
		Awaitility.await()
			.pollInterval(Duration.ofMillis(10))
			.untilAsserted(() -> assertThat(status("/actuator/health/readiness")).isEqualTo(503));
		assertThat(this.node.getBean(Membership.class).states()).containsValue(MemberState.DRAINING);
		assertThat(status("/actuator/health/liveness")).isEqualTo(200);
		this.client.put().uri("/v0/entity?id=a").bodyValue("late").exchange().expectStatus().isCreated().expectBody();
		this.client.get()
			.uri("/v0/entity?id=a")
			.exchange()
			.expectHeader()
			.valueEquals("Connection", "close")
			.expectBody(String.class)
			.isEqualTo("late");
		this.client.get().uri("/v0/status").exchange().expectBody().jsonPath("$.state").isEqualTo("not-ready");
		assertThat(this.stopped).isNotDone();
		this.stopped.orTimeout(60, TimeUnit.SECONDS).join();
		assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThanOrEqualTo(DELAY);
		assertThat(this.node.isActive()).isFalse();
	}

	private int status(String path) {
		return this.management.get().uri(path).exchange().expectBody().returnResult().getStatus().value();
	}

}
