package io.quorate.process;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Clients that go away in the middle, by thousands, disturb nobody: nothing is held for
 * them any longer, and nothing of what they had half sent is stored.
 */
@Tag(Scale.FULL)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AbortedReadsIT {

	private static final int VALUE_BYTES = 1 << 20;

	private static final int VALUES = 8;

	private static final int BUDGET_VALUES = 64;

	private static final int CLIENTS = 8;

	private static final int RECEIVE_BUFFER_BYTES = 64 * 1024;

	private static final Duration LIMIT = Duration.ofMinutes(5);

	/* Longer than a connection stays open that nobody uses. */
	private static final Duration OPEN_FILES = Duration.ofMinutes(3);

	private final long seed = Scale.seed("AbortedReadsIT");

	private NodeProcess node = NodeProcess.in(Path.of("unused"));

	private int openFilesBefore;

	@BeforeAll
	void startNode(@TempDir Path home) throws Exception {
		this.node = NodeProcess.in(home)
			.withHeap("512m")
			.with("quorate.coordinator.max-bytes", BUDGET_VALUES + "MB")
			.start();
		for (int i = 0; i < VALUES; i++) {
			assertThat(NodeClient.of(this.node).put("value-" + i, content(i)).statusCode()).isEqualTo(201);
		}
		requireValues();
		this.openFilesBefore = this.node.openFiles();
	}

	@AfterAll
	void stopNode() {
		this.node.close();
	}

	@Test
	void abortedReadsLeaveNothingBehind() throws Exception {
		abort(10_000, (number, random) -> readSome(random, "/v0/entity?id=value-" + number % VALUES));
		requireAllIsWell();
	}

	@Test
	void abortedScansLeaveNothingBehind() throws Exception {
		abort(1000, (_, random) -> readSome(random, "/v0/entities?start=v"));
		requireAllIsWell();
	}

	@Test
	void abortedUploadsLeaveNothingBehind() throws Exception {
		byte[] part = new byte[VALUE_BYTES];
		abort(1000, (number, random) -> {
			RawRequest upload = RawRequest.send(this.node, RECEIVE_BUFFER_BYTES, "PUT",
					"/v0/entity?id=" + ((number % 2 == 0) ? "value-" + number % VALUES : "never-" + number),
					"Content-Length: " + VALUE_BYTES);
			upload.body(part, random.nextInt(VALUE_BYTES));
			return upload;
		});
		for (int number = 1; number < 1000; number += 2) {
			assertThat(NodeClient.of(this.node).get("never-" + number).statusCode()).isEqualTo(404);
		}
		requireAllIsWell();
	}

	/** At once, within the head, or within the body. */
	private RawRequest readSome(SplittableRandom random, String target) throws IOException {
		RawRequest request = RawRequest.send(this.node, RECEIVE_BUFFER_BYTES, "GET", target);
		request.read(switch (random.nextInt(4)) {
			case 0 -> 0;
			case 1 -> 20;
			default -> random.nextInt(VALUE_BYTES / 2);
		});
		return request;
	}

	private void abort(int count, Opening opening) throws InterruptedException {
		Workers.run(CLIENTS, LIMIT, (client) -> {
			SplittableRandom random = new SplittableRandom(this.seed + client);
			for (int number = client; number < count; number += CLIENTS) {
				try (RawRequest request = opening.open(number, random)) {
					end(request, random);
				}
			}
		});
	}

	/** By a reset, half closed, or closed with what has come unread. */
	private static void end(RawRequest request, SplittableRandom random) throws IOException {
		switch (random.nextInt(3)) {
			case 0 -> request.reset();
			case 1 -> request.finish();
			default -> request.close();
		}
	}

	private void requireAllIsWell() throws Exception {
		requireWholeBudget();
		requireValues();
		assertThat(this.node.alarms()).allMatch(AbortedReadsIT::isRefusedForRoom);
		await().atMost(OPEN_FILES)
			.pollInterval(Duration.ofMillis(250))
			.until(() -> this.node.openFiles() <= this.openFilesBefore);
	}

	/*
	 * Until the node has noticed that they are gone, aborted scans hold what they were
	 * given: on a busy machine there may be no room for those after them.
	 */
	private static boolean isRefusedForRoom(String line) {
		return line.contains("Broke off a scan under way") && line.contains("overloaded");
	}

	private void requireValues() throws IOException, InterruptedException {
		for (int i = 0; i < VALUES; i++) {
			NodeAnswer answer = NodeClient.of(this.node).get("value-" + i);
			assertThat(answer.statusCode()).isEqualTo(200);
			assertThat(answer.body()).isEqualTo(content(i));
		}
	}

	/** No request and no byte of a client that went away counts any more. */
	private void requireWholeBudget() {
		await().atMost(OPEN_FILES)
			.pollInterval(Duration.ofMillis(250))
			.until(() -> inFlight("quorate_inflight_bytes") == 0 && inFlight("quorate_inflight_requests") == 0);
	}

	private double inFlight(String meter) throws IOException, InterruptedException {
		return MeterReadings.of(NodeClient.of(this.node)).sumOfSome(meter);
	}

	private static byte[] content(int number) {
		return Contents.of("value-" + number, 0, VALUE_BYTES);
	}

	/** The beginning of a request. */
	@FunctionalInterface
	private interface Opening {

		RawRequest open(int number, SplittableRandom random) throws IOException;

	}

}
