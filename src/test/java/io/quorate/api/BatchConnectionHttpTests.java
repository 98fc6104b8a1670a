package io.quorate.api;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.api.RawConnection.Answer;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.security.LoggedKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.awaitility.Awaitility.await;

/** Batches over connections: slow and broken ones, and several on one. */
class BatchConnectionHttpTests extends HttpTests {

	/* Reads that a batch begins before it knows the sizes of values. */
	private static final int FIRST_READS = 8;

	private static final String BATCH = "/v0/batch";

	private static final int LARGE = 700_000;

	/* Of what must come. */
	private static final Duration LONG = Duration.ofMinutes(1);

	@Autowired
	private MeterRegistry meters;

	@Test
	void anAnswerLeavesBeforeTheLastItemIsDone() throws IOException {
		this.coordinator.writesElsewhere = true;
		this.coordinator.keepBack();
		try (RawConnection connection = connect()) {
			send(connection, get("nothing") + put("a", "1"), "Quorate-Timeout: 30000");
			assertThat(connection.head().status).isEqualTo(200);
			assertThat(new String(requireNonNull(connection.chunk()), UTF_8)).startsWith("{\"status\":404,");
			assertThat(this.coordinator.calls).as("that have ended").hasValue(1);
			this.coordinator.proceed();
			assertThat(new String(requireNonNull(connection.chunk()), UTF_8)).startsWith("{\"status\":201,");
			assertThat(connection.chunk()).isNull();
		}
	}

	@Test
	void batchesOfOneConnectionAreAnsweredInTurn() throws IOException {
		try (RawConnection connection = connect()) {
			send(connection, put("a", "1"));
			send(connection, "");
			send(connection, get("a").repeat(30));
			connection.request("GET", "/v0/entity?id=a");
			assertThat(connection.answer().text()).contains("\"status\":201");
			assertThat(connection.answer().text()).isEmpty();
			assertThat(connection.answer().text().lines()).hasSize(30);
			assertThat(connection.answer().text()).isEqualTo("1");
		}
	}

	@Test
	void aBodyMayComeInPieces() throws IOException {
		byte[] body = put("a", "x".repeat(50_000)).repeat(3).getBytes(UTF_8);
		Random random = new Random(1);
		try (RawConnection connection = connect()) {
			connection.request("POST", BATCH, "Transfer-Encoding: chunked", "Expect: 100-continue");
			assertThat(connection.head().status).isEqualTo(100);
			for (int at = 0; at < body.length;) {
				int size = Math.min(1 + random.nextInt(9000), body.length - at);
				connection.send("%x\r\n".formatted(size)).send(Arrays.copyOfRange(body, at, at + size)).send("\r\n");
				at += size;
			}
			assertThat(connection.send("0\r\n\r\n").answer().text().lines()).hasSize(3);
		}
	}

	@Test
	void aBodyThatBreaksOffIsNoBatch() throws IOException {
		try (RawConnection connection = connect()) {
			connection.request("POST", BATCH, "Transfer-Encoding: chunked");
			String line = put("a", "1");
			connection.send("%x\r\n%s\r\nzz\r\n".formatted(line.length(), line));
			assertProblem(connection.answer(), 400, "bad-request", "not well-formed");
		}
		assertThat(this.coordinator.calls).hasValue(0);
	}

	@Test
	void aBodyThatDoesNotComeIsWaitedForNoLonger() throws IOException {
		try (RawConnection connection = connect()) {
			connection.request("POST", BATCH, "Content-Length: 1000").send(put("a", "1"));
			assertProblem(connection.answer(), 408, "body-slow", "less than 16384 bytes a second");
		}
		assertThat(this.coordinator.calls).hasValue(0);
	}

	@Test
	void aClientThatDoesNotReadHoldsItsOwnBatchOnly() throws IOException {
		hold(LARGE);
		try (RawConnection connection = RawConnection.to(this.port, 4096)) {
			send(connection, get("a").repeat(150));
			await().atMost(LONG).until(() -> this.admission.bytes() >= ApiTestApplication.MAX_VALUE_BYTES);
			int calls = this.coordinator.calls.get();
			// The kernel takes some megabytes of a loopback connection.
			assertThat(calls).isLessThan(30);
			assertThat(this.admission.bytes()).isLessThan(FIRST_READS * LARGE + 10_000L);
			assertThat(this.admission.requests()).as("places of the batch").isEqualTo(1);
			assertThat(put("/v0/entity?id=b", new byte[1]).status).isEqualTo(201);
			assertThat(post(BATCH, put("b", "2").getBytes(UTF_8)).text()).contains("201");
		}
	}

	@Test
	void aClientThatStandsStillLosesItsBatch() throws IOException {
		hold(LARGE);
		double before = batches("cancelled");
		try (RawConnection connection = RawConnection.to(this.port, 4096)) {
			send(connection, get("a").repeat(150));
			await().atMost(LONG).until(() -> this.admission.requests() == 1);
			await().atMost(LONG).until(() -> this.admission.requests() == 0);
			assertThatIOException().isThrownBy(connection::answer);
		}
		await().atMost(LONG).until(() -> batches("cancelled") - before == 1);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void nothingMoreBeginsForAClientThatIsGone(boolean isReset) throws IOException {
		this.coordinator.writesElsewhere = true;
		this.coordinator.keepBack();
		double before = batches("cancelled");
		RawConnection connection = connect();
		send(connection, put("a", "1") + put("a", "2") + put("b", "1") + put("b", "2"), "Quorate-Timeout: 30000");
		await().atMost(LONG).until(() -> this.admission.requests() == 3);
		if (isReset) {
			connection.reset();
		}
		else {
			connection.close();
		}
		await().atMost(LONG).until(() -> batches("cancelled") - before == 1);
		this.coordinator.proceed();
		await().atMost(LONG).until(() -> this.admission.requests() == 0);
		assertThat(this.coordinator.calls).as("writes that were under way").hasValue(2);
		assertThat(requireNonNull(this.coordinator.held(Key.of("a"))).value().array()).containsExactly('1');
		assertThat(requireNonNull(this.coordinator.held(Key.of("b"))).value().array()).containsExactly('1');
	}

	@Test
	void brokenConnectionsGiveEverythingBack() throws IOException {
		hold(60_000);
		for (int i = 0; i < 20; i++) {
			RawConnection connection = RawConnection.to(this.port, 4096);
			send(connection, (get("a") + put("b", "1") + get("c")).repeat(50));
			if (i % 4 > 0) {
				connection.head();
			}
			if (i % 4 > 1) {
				connection.chunk();
			}
			if (i % 2 == 0) {
				connection.reset();
			}
			else {
				connection.close();
			}
		}
		await().atMost(LONG).until(() -> this.admission.requests() == 0);
	}

	@Test
	void theTimesOfAnAnswerAreThoseOfItsFirstItem() throws IOException {
		Answer answer = post(BATCH, (put("a", "1") + put("b", "1")).getBytes(UTF_8));
		assertThat(answer.headers.get("server-timing"))
			.matches("total;dur=.*, coord;dur=.*, replicas;dur=.*, n0;dur=[\\d.]+;desc=\"applied\", n-1.b_c;desc=.*");
	}

	@Test
	void aSlowBatchIsLoggedAsAWhole() throws IOException {
		this.coordinator.writesElsewhere = true;
		this.coordinator.delay = Duration.ofMillis(400);
		double before = slow();
		double complete = batches("complete");
		try (LoggedLines logged = new LoggedLines("io.quorate.slow")) {
			assertThat(
					post(BATCH, (get("x") + put("a", "1").repeat(2)).getBytes(UTF_8), "Quorate-Timeout: 9000").status)
				.isEqualTo(200);
			await().atMost(LONG).until(() -> !logged.lines().isEmpty());
			assertThat(logged.lines()).singleElement()
				.asString()
				.matches(
						"WARN Slow request: batch of 3 items, 3 of them done after ([7-9]\\d\\d|\\d{4,}) ms, replicas 1/1; "
								+ "the slowest is a put, key hash " + LoggedKey.of(Key.of("a"))
								+ ", total;dur=.*, coord;dur=.*");
		}
		assertThat(slow() - before).isEqualTo(1);
		assertThat(batches("complete") - complete).isEqualTo(1);
	}

	@Test
	void aFastBatchIsNotLogged() throws IOException {
		double before = slow();
		assertThat(post(BATCH, put("a", "1").repeat(50).getBytes(UTF_8)).status).isEqualTo(200);
		assertThat(slow()).isEqualTo(before);
	}

	@Test
	void valuesOfItemsAreMeasuredAndNotTheBody() throws IOException {
		double count = this.meters.get("quorate.value.size").tag("direction", "in").summary().count();
		double sum = this.meters.get("quorate.value.size").tag("direction", "in").summary().totalAmount();
		post(BATCH, (put("a", "12345") + put("b", "678")).getBytes(UTF_8));
		assertThat(this.meters.get("quorate.value.size").tag("direction", "in").summary().count() - count).isEqualTo(2);
		assertThat(this.meters.get("quorate.value.size").tag("direction", "in").summary().totalAmount() - sum)
			.isEqualTo(8);
	}

	private double slow() {
		return this.meters.get("quorate.slow.requests").tag("operation", "batch").counter().count();
	}

	private double batches(String outcome) {
		return this.meters.get("quorate.batch").tag("outcome", outcome).timer().count();
	}

	private void hold(int sizeBytes) {
		this.coordinator.hold(Key.of("a"), Value.wrap(new byte[sizeBytes]));
	}

	private static void send(RawConnection connection, String body, String... headers) throws IOException {
		byte[] bytes = body.getBytes(UTF_8);
		List<String> all = new ArrayList<>(List.of(headers));
		all.add("Content-Length: " + bytes.length);
		connection.request("POST", BATCH, all.toArray(String[]::new)).send(bytes);
	}

	private static String put(String key, String text) {
		return "{\"op\":\"put\",\"id\":\"%s\",\"text\":\"%s\"}\n".formatted(key, text);
	}

	private static String get(String key) {
		return "{\"op\":\"get\",\"id\":\"%s\"}\n".formatted(key);
	}

}
