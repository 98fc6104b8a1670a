package io.quorate.operations;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.quorate.QuorateApplication;
import io.quorate.membership.members.MemberState;
import io.quorate.membership.members.Membership;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.test.web.reactive.server.WebTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/** The stop of a whole node, as clients and probes see it. */
class DrainTests {

	private static final Duration DELAY = Duration.ofMillis(500);

	@TempDir
	private Path directory;

	private final Hold hold = new Hold();

	private ConfigurableApplicationContext node;

	private WebTestClient client;

	private WebTestClient management;

	private final CountDownLatch announcing = new CountDownLatch(1);

	private final CountDownLatch announced = new CountDownLatch(1);

	private CompletableFuture<Void> stopped = CompletableFuture.completedFuture(null);

	@BeforeEach
	void start() {
		SpringApplication application = new SpringApplication(QuorateApplication.class);
		application.addInitializers((context) -> context.getBeanFactory().registerSingleton("hold", this.hold));
		this.node = application.run("--server.port=0", "--management.server.port=0",
				"--quorate.storage.directory=" + this.directory,
				"--quorate.operations.drain-delay=" + DELAY.toMillis() + "ms");
		this.management = WebClients.operators(this.node);
		this.client = WebClients.clients(this.node);
	}

	@AfterEach
	void stop() {
		this.announced.countDown();
		this.hold.released.countDown();
		this.stopped.orTimeout(1, TimeUnit.MINUTES).join();
	}

	@Test
	void aNodeIsNotReadyFirstServesForAWhileAndThenCloses() {
		this.node.getBean(Membership.class).onLeave(() -> {
			this.announcing.countDown();
			await(this.announced);
		});
		assertThat(status("/actuator/health/readiness")).isEqualTo(200);
		this.stopped = CompletableFuture.runAsync(this.node::close);
		await(this.announcing);
		assertThat(status("/actuator/health/readiness")).isEqualTo(503);
		assertThat(this.node.getBean(Membership.class).states()).containsValue(MemberState.DRAINING);
		requireServed("early");
		long begun = System.nanoTime();
		this.announced.countDown();
		await(this.hold.reached);
		assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThanOrEqualTo(DELAY);
		requireServed("late");
		assertThat(this.stopped).isNotDone();
		this.hold.released.countDown();
		this.stopped.orTimeout(1, TimeUnit.MINUTES).join();
		assertThat(this.node.isActive()).isFalse();
	}

	private void requireServed(String value) {
		assertThat(status("/actuator/health/liveness")).isEqualTo(200);
		this.client.put().uri("/v0/entity?id=a").bodyValue(value).exchange().expectStatus().isCreated().expectBody();
		this.client.get()
			.uri("/v0/entity?id=a")
			.exchange()
			.expectHeader()
			.valueEquals("Connection", "close")
			.expectBody(String.class)
			.isEqualTo(value);
		this.client.get().uri("/v0/status").exchange().expectBody().jsonPath("$.state").isEqualTo("not-ready");
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
		}
		catch (InterruptedException stop) {
			throw new IllegalStateException(stop);
		}
	}

	private int status(String path) {
		return this.management.get().uri(path).exchange().expectBody().returnResult().getStatus().value();
	}

	/* Stands between the end of the drain and the close of the ports. */
	private static final class Hold implements SmartLifecycle {

		private final CountDownLatch reached = new CountDownLatch(1);

		private final CountDownLatch released = new CountDownLatch(1);

		private volatile boolean running;

		@Override
		public void start() {
			this.running = true;
		}

		@Override
		public void stop() {
			this.reached.countDown();
			await(this.released);
			this.running = false;
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

		@Override
		public int getPhase() {
			return Integer.MAX_VALUE - 1;
		}

	}

}
