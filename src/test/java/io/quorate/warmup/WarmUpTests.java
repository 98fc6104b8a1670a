package io.quorate.warmup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.quorate.QuorateApplication;
import io.quorate.api.ScratchApi;
import io.quorate.clock.Deadline;
import io.quorate.clock.TimeSource;
import io.quorate.coordinator.ScratchCoordinator;
import io.quorate.internode.ScratchReplicas;
import io.quorate.repair.antientropy.StoreDigest;
import io.quorate.storage.ScratchStores;
import io.quorate.storage.Store;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.micrometer.metrics.test.autoconfigure.AutoConfigureMetrics;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/** The warm-up of a whole node, which is over when the test begins. */
@SpringBootTest(classes = QuorateApplication.class, webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "quorate.warm-up.requests=400", "quorate.warm-up.limit=1m" })
@AutoConfigureMetrics
@DirtiesContext
@ExtendWith(OutputCaptureExtension.class)
class WarmUpTests {

	private static final int REQUESTS = 400;

	private static final int DEFAULT_REQUESTS = 3000;

	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	/* No test is about a machine that does all requests in less. */
	private static final Duration LONG = Duration.ofMinutes(10);

	@TempDir
	static Path data;

	@Autowired
	MeterRegistry meters;

	@Autowired
	Store store;

	@Autowired
	StoreDigest digest;

	@Autowired
	ScratchStores stores;

	@Autowired
	ScratchReplicas replicas;

	@Autowired
	ScratchCoordinator.Factory coordinators;

	@Autowired
	ScratchApi api;

	@Autowired
	WarmUp warmUp;

	@DynamicPropertySource
	static void directory(DynamicPropertyRegistry properties) throws IOException {
		/* As a process leaves it that was killed during its warm-up. */
		Path left = Files.createDirectories(data.resolve("warm-up-0").resolve("wal"));
		Files.writeString(left.resolve("0000000000000001.log"), "left");
		properties.add("quorate.storage.directory", data::toString);
	}

	@Test
	void aNodeKeepsNothingOfItsWarmUp() {
		assertThat(this.warmUp.isRunning()).isTrue();
		assertThat(data.resolve("warm-up-0")).doesNotExist();
		assertThat(this.store.durableSequence()).as("arrivals in the store of the node").isNotPositive();
		assertThat(this.digest.read(null)).isEqualTo(new StoreDigest.Digest(0, 0, "0000000000000000"));
	}

	@Test
	void theMetersOfTheNodeCountNoRequestOfTheWarmUp() {
		for (String meter : new String[] { "quorate.request", "quorate.scan", "quorate.batch", "quorate.replica.local",
				"quorate.internode.request", "quorate.storage.wal.force" }) {
			assertThat(this.meters.find(meter).timers().stream().mapToLong(Timer::count).sum()).as(meter).isZero();
		}
	}

	@Test
	void everyRequestOfTheWarmUpIsAnswered() {
		try (ScratchCluster cluster = cluster()) {
			RequestMix.Result result = new RequestMix(cluster.port(), TIMEOUT, REQUESTS, Deadline.after(LONG)).run();
			assertThat(result.firstFailure()).isNull();
			assertThat(result.failed()).isZero();
			assertThat(result.done()).isEqualTo(REQUESTS);
		}
		assertThat(data.resolve("warm-up-0")).doesNotExist();
	}

	@Test
	void requestsOfAWarmUpPassThroughEveryPart() {
		try (ScratchCluster cluster = cluster()) {
			new RequestMix(cluster.port(), TIMEOUT, DEFAULT_REQUESTS, Deadline.after(LONG)).run();
			for (String meter : new String[] { "quorate.request", "quorate.scan", "quorate.batch",
					"quorate.replica.local", "quorate.internode.request", "quorate.storage.wal.force",
					"quorate.storage.flush" }) {
				assertThat(cluster.meters().find(meter).timers().stream().mapToLong(Timer::count).sum()).as(meter)
					.isPositive();
			}
		}
	}

	@Test
	void noMeterOfAWarmUpIsRefusedAsASecondOne() {
		Logger logger = (Logger) LoggerFactory.getLogger(MeterRegistry.class);
		Level before = logger.getLevel();
		ListAppender<ILoggingEvent> lines = new ListAppender<>();
		lines.start();
		logger.addAppender(lines);
		// Only the first one of a process is a warning.
		logger.setLevel(Level.DEBUG);
		try (ScratchCluster cluster = cluster()) {
			new RequestMix(cluster.port(), TIMEOUT, REQUESTS, Deadline.after(LONG)).run();
		}
		finally {
			logger.setLevel(before);
			logger.detachAppender(lines);
		}
		assertThat(lines.list).extracting(ILoggingEvent::getFormattedMessage)
			.noneMatch((line) -> line.contains("already registered"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "/v0/consistency", "/v0/status", "/", "/v0/docs", "/actuator/health", "/v0/nothing" })
	void thePortOfAWarmUpTellsNothingOfTheNode(String path) throws IOException {
		try (ScratchCluster cluster = cluster(); HttpConnection client = HttpConnection.to(cluster.port(), TIMEOUT)) {
			assertThat(client.request("GET", path)).isIn(400, 404);
			assertThat(client.request("GET", "/v0/entities?start=a")).isEqualTo(200);
		}
	}

	@Test
	void aWarmUpEndsAtItsLimit() {
		try (ScratchCluster cluster = cluster()) {
			Deadline end = Deadline.after(Duration.ofMillis(50));
			RequestMix.Result result = new RequestMix(cluster.port(), TIMEOUT, Integer.MAX_VALUE, end).run();
			assertThat(end.isExpired()).isTrue();
			assertThat(result.done()).isLessThan(Integer.MAX_VALUE);
		}
	}

	@Test
	void aNodeStartsWhenItsWarmUpFails(CapturedOutput output) {
		WarmUp failing = new WarmUp(new WarmUpProperties(1, Duration.ofSeconds(1)), TIMEOUT, () -> {
			throw new IllegalStateException("no room for it");
		});
		failing.start();
		assertThat(failing.isRunning()).isTrue();
		assertThat(output).contains("The warm-up has failed, the node starts without it:").contains("no room for it");
	}

	@Test
	void aNodeWithoutRequestsForItselfOpensNothing() {
		WarmUp off = new WarmUp(new WarmUpProperties(0, Duration.ofSeconds(1)), TIMEOUT, () -> {
			throw new IllegalStateException("nothing is to be opened");
		});
		off.start();
		assertThat(off.isRunning()).isTrue();
	}

	private ScratchCluster cluster() {
		return new ScratchCluster(this.stores, this.replicas, this.coordinators, this.api, TimeSource.SYSTEM);
	}

}
