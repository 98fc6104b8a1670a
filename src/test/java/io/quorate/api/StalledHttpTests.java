package io.quorate.api;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.MeterRegistry;
import io.netty.util.concurrent.EventExecutor;
import io.quorate.clock.Deadline;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.netty.resources.LoopResources;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.test.context.TestPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Event loops that stand still while clients send: what has waited past its deadline is
 * not done, and nothing is done for who has gone.
 */
@TestPropertySource(properties = { "quorate.api.body-idle-timeout=30s", "quorate.coordinator.timeout=1s" })
class StalledHttpTests extends HttpTests {

	private static final String KEY = "/v0/entity?id=k";

	/* Shorter than a stall, longer than what a quick answer takes. */
	private static final String SHORT = "Quorate-Timeout: 800";

	private static final String LONG = "Quorate-Timeout: 30000";

	private static final Duration STALL = Duration.ofSeconds(1);

	/* More than are remembered. */
	private static final int TURNS = 5;

	private final List<RawConnection> connections = new ArrayList<>();

	private CountDownLatch stall = new CountDownLatch(0);

	@Autowired
	private MeterRegistry meters;

	@Autowired
	private ReactorResourceFactory resources;

	private double lateBefore;

	@BeforeEach
	void note() {
		this.lateBefore = late();
	}

	@AfterEach
	void goOn() throws IOException {
		this.stall.countDown();
		settled();
		for (RawConnection connection : this.connections) {
			connection.close();
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aRequestThatWaitedPastItsDeadlineIsNotDone(boolean isOld) throws IOException {
		@Nullable RawConnection old = isOld ? established() : null;
		standStill();
		RawConnection client = (old != null) ? old : connected();
		client.send(put("abandoned", SHORT));
		goOnAfter(STALL);
		assertProblem(client.answer(), 503, "late", "nothing was done");
		assertThat(this.coordinator.held(key())).isNull();
		assertThat(this.coordinator.calls).as("of the coordinator").hasValue(0);
		assertThat(late() - this.lateBefore).isEqualTo(1);
		client.send(put("fresh", SHORT));
		assertThat(client.answer().status).as("what comes afterwards is done").isEqualTo(201);
	}

	@Test
	void itMayBeTriedAgainAtOnce() throws IOException {
		RawConnection client = established();
		standStill();
		client.send(put("abandoned", SHORT));
		goOnAfter(STALL);
		assertThat(client.answer().headers).containsEntry("retry-after", "1");
	}

	@ParameterizedTest
	@ValueSource(strings = { "GET " + KEY, "HEAD " + KEY, "DELETE " + KEY, "GET /v0/entities?start=a" })
	void noRequestIsDonePastItsDeadline(String line) throws IOException {
		RawConnection client = established();
		this.coordinator.hold(key(), Value.wrap(new byte[1]));
		standStill();
		client.send(line + " HTTP/1.1\r\nHost: localhost\r\n" + SHORT + "\r\n\r\n");
		goOnAfter(STALL);
		assertThat(client.head().status).isEqualTo(503);
		assertThat(this.coordinator.held(key())).isNotNull();
		assertThat(this.coordinator.calls).hasValue(0);
	}

	@Test
	void noItemOfABatchIsDonePastItsDeadline() throws IOException {
		String batch = "{\"op\":\"put\",\"id\":\"k\",\"text\":\"1\"}\n".repeat(3);
		RawConnection client = established();
		standStill();
		client.request("POST", "/v0/batch", SHORT, "Content-Length: " + batch.length()).send(batch);
		goOnAfter(STALL);
		assertProblem(client.answer(), 503, "late", "nothing was done");
		assertThat(this.coordinator.calls).hasValue(0);
	}

	@Test
	void noItemOfABatchIsDoneForWhoHasGone() throws IOException {
		String batch = "{\"op\":\"put\",\"id\":\"k\",\"text\":\"1\"}\n".repeat(3);
		RawConnection client = established();
		standStill();
		client.request("POST", "/v0/batch", LONG, "Content-Length: " + batch.length()).send(batch);
		client.close();
		goOnAfter(STALL);
		settled();
		assertThat(this.coordinator.calls).hasValue(0);
	}

	@Test
	void theStatusIsAnsweredAllTheSame() throws IOException {
		RawConnection client = established();
		standStill();
		client.request("GET", "/v0/consistency", SHORT);
		goOnAfter(STALL);
		assertThat(client.answer().status).isEqualTo(200);
	}

	@Test
	void theTimeOfTheStallIsTakenFromTheDeadline() throws IOException {
		RawConnection client = established();
		standStill();
		client.send(put("value", "Quorate-Timeout: 5000"));
		goOnAfter(STALL);
		assertThat(client.answer().status).isEqualTo(201);
		assertThat(this.coordinator.lastTimeLeft).isLessThan(Duration.ofSeconds(5).minus(STALL));
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void nothingIsDoneForWhoHasGone(boolean isReset) throws IOException {
		RawConnection client = established();
		standStill();
		client.send(put("abandoned", LONG));
		if (isReset) {
			client.reset();
		}
		else {
			client.close();
		}
		goOnAfter(STALL);
		settled();
		assertThat(this.coordinator.calls).hasValue(0);
		assertThat(this.coordinator.held(key())).isNull();
	}

	@Test
	void nothingIsDeletedForWhoHasGone() throws IOException {
		RawConnection client = established();
		this.coordinator.hold(key(), Value.wrap(new byte[1]));
		standStill();
		client.send("DELETE " + KEY + " HTTP/1.1\r\nHost: localhost\r\n" + LONG + "\r\n\r\n");
		client.close();
		goOnAfter(STALL);
		settled();
		assertThat(this.coordinator.held(key())).isNotNull();
	}

	@Test
	void nothingIsDoneForANewConnectionThatIsClosedAlready() throws IOException {
		standStill();
		RawConnection client = connected();
		client.send(put("abandoned", LONG));
		client.close();
		goOnAfter(STALL);
		settled();
		assertThat(this.coordinator.calls).hasValue(0);
	}

	@Test
	void aBodyOfWhichTheRestHasWaitedIsNotWritten() throws IOException {
		RawConnection client = established();
		byte[] half = new byte[20_000];
		client.send(head(2 * half.length, SHORT)).send(half);
		Awaitility.await().until(() -> this.admission.bytes() >= half.length);
		standStill();
		client.send(half);
		goOnAfter(STALL);
		assertProblem(client.answer(), 503, "late", "nothing was done");
		assertThat(this.coordinator.calls).hasValue(0);
	}

	@Test
	void aBodyThatEndsAfterTheStallIsWritten() throws IOException {
		RawConnection client = established();
		byte[] half = new byte[200_000];
		client.send(head(2 * half.length, SHORT)).send(half);
		standStill();
		goOnAfter(STALL);
		settled();
		client.send(half);
		assertThat(client.answer().status).isEqualTo(201);
	}

	@Test
	void halfABodyOfWhoHasGoneIsNotWritten() throws IOException {
		RawConnection client = established();
		client.send(head(1_000, LONG)).send(new byte[500]);
		standStill();
		client.close();
		goOnAfter(STALL);
		settled();
		assertThat(this.coordinator.calls).hasValue(0);
	}

	@Test
	void everyPipelinedRequestIsRefusedPastItsDeadline() throws IOException {
		RawConnection client = established();
		standStill();
		for (int i = 0; i < 50; i++) {
			client.send(put("v" + i, SHORT));
		}
		goOnAfter(STALL);
		for (int i = 0; i < 50; i++) {
			assertThat(client.answer().status).as("answer %d", i).isEqualTo(503);
		}
		assertThat(this.coordinator.calls).hasValue(0);
	}

	@Test
	void aPipelinedRequestReadBeforeTheStallIsRefusedPastItsDeadline() throws IOException {
		RawConnection client = established();
		this.coordinator.delay = Duration.ofMillis(400);
		client.send(put("first", LONG) + put("second", SHORT));
		Awaitility.await().until(() -> this.admission.requests() == 1);
		standStill();
		goOnAfter(STALL);
		assertThat(client.answer().status).isEqualTo(201);
		assertThat(client.answer().status).isEqualTo(503);
	}

	@Test
	void moreThanOneReadTakesHasWaitedAsLong() throws IOException {
		RawConnection client = established();
		standStill();
		client.send(head(50_000, SHORT)).send(new byte[50_000]);
		goOnAfter(STALL);
		assertThat(client.answer().status).isEqualTo(503);
		assertThat(this.coordinator.calls).hasValue(0);
	}

	/* The rest of it comes from its client's machine when there is room again. */
	@Test
	void moreThanTheSocketHoldsIsNotDoneForWhoHasGone() throws IOException {
		RawConnection client = established();
		standStill();
		client.send(head(1_000_000, SHORT)).send(new byte[1_000_000]);
		client.close();
		goOnAfter(STALL);
		settled();
		assertThat(this.coordinator.calls).hasValue(0);
	}

	@Test
	void aClientThatIsQuietDuringAStallIsServed() throws IOException {
		RawConnection client = established();
		standStill();
		goOnAfter(STALL);
		settled();
		client.send(put("value", SHORT));
		assertThat(client.answer().status).isEqualTo(201);
		assertThat(late()).isEqualTo(this.lateBefore);
	}

	private double late() {
		return this.meters.get("quorate.shed").tag("reason", "late").counter().count();
	}

	private RawConnection connected() throws IOException {
		RawConnection connection = connect();
		this.connections.add(connection);
		return connection;
	}

	/* One that the server reads from. */
	private RawConnection established() throws IOException {
		RawConnection connection = connected();
		Awaitility.await().until(() -> connection.request("GET", KEY).answer().status == 404);
		this.coordinator.calls.set(0);
		this.lateBefore = late();
		return connection;
	}

	private static String head(int length, String header) {
		return "PUT " + KEY + " HTTP/1.1\r\nHost: localhost\r\n" + header + "\r\nContent-Length: " + length
				+ "\r\n\r\n";
	}

	private static String put(String value, String header) {
		return head(value.length(), header) + value;
	}

	private static Key key() {
		return Key.of("k");
	}

	private List<EventExecutor> loops() {
		List<EventExecutor> loops = new ArrayList<>();
		this.resources.getLoopResources().onClient(LoopResources.DEFAULT_NATIVE).forEach(loops::add);
		return loops;
	}

	private void standStill() {
		CountDownLatch still = new CountDownLatch(loops().size());
		CountDownLatch end = new CountDownLatch(1);
		this.stall = end;
		loops().forEach((loop) -> loop.execute(() -> {
			still.countDown();
			awaitEndOf(end);
		}));
		Awaitility.await().until(() -> still.getCount() == 0);
	}

	/* The one wait on an event loop that BlockingCalls allows. */
	private static void awaitEndOf(CountDownLatch stall) {
		try {
			stall.await();
		}
		catch (InterruptedException interrupt) {
			throw new IllegalStateException(interrupt);
		}
	}

	private void goOnAfter(Duration time) {
		Deadline end = Deadline.after(time);
		Awaitility.await().until(end::isExpired);
		this.stall.countDown();
	}

	/* Each loop notes a turn every 50 ms, so at least one before each of these. */
	private void settled() {
		CountDownLatch settled = new CountDownLatch(loops().size());
		loops().forEach((loop) -> settle(loop, TURNS, settled));
		Awaitility.await().until(() -> settled.getCount() == 0);
	}

	private static void settle(EventExecutor loop, int turns, CountDownLatch settled) {
		if (turns == 0) {
			settled.countDown();
			return;
		}
		var _ = loop.schedule(() -> settle(loop, turns - 1, settled), 60, TimeUnit.MILLISECONDS);
	}

}
