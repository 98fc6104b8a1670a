package io.quorate.api;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.coordinator.KeyWaits;
import io.quorate.coordinator.QuorumNotReachedException;
import io.quorate.entry.Key;
import io.quorate.security.LoggedKey;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class SlowRequestHttpTests extends HttpTests {

	private static final String SECRET = "secret";

	private static final String TARGET = "/v0/entity?id=" + SECRET;

	private static final Duration SLOW = Duration.ofMillis(700);

	@Autowired
	MeterRegistry meters;

	@Autowired
	KeyWaits waits;

	private final LoggedLines logged = new LoggedLines("io.quorate.slow");

	@AfterEach
	void close() {
		this.logged.close();
	}

	@Test
	void slowRequestIsLoggedWithoutItsKey() throws IOException {
		double before = slow();
		this.coordinator.delay = SLOW;
		assertThat(put(TARGET + "&replicas=1/1", "value".getBytes(UTF_8)).status).isEqualTo(201);
		String hash = LoggedKey.of(Key.of(SECRET));
		assertThat(this.logged.lines()).singleElement()
			.asString()
			.matches("WARN Slow request: put success, key hash " + hash
					+ ", value 5 bytes, replicas 1/1, total;dur=([7-9]\\d\\d|\\d{4,})(\\.\\d+)?, coord;dur=.*"
					+ "n0;dur=[\\d.]+;desc=\"applied\", n-1.b_c;desc=\"repair waiting\"")
			.doesNotContain(SECRET);
		assertThat(slow() - before).isOne();
	}

	@Test
	void fastRequestIsNot() throws IOException {
		double before = slow();
		assertThat(put(TARGET, new byte[1]).status).isEqualTo(201);
		assertThat(ask("GET", TARGET).status).isEqualTo(200);
		assertThat(this.logged.lines()).isEmpty();
		assertThat(slow()).isEqualTo(before);
	}

	@Test
	void clientThatSendsSlowlyIsNotSlowAtTheNode() throws IOException {
		try (RawConnection connection = connect()) {
			connection.request("PUT", TARGET, "Content-Length: 5").send("va");
			assertThat(connection.answer().status).as("nothing of the body came for a second").isEqualTo(408);
		}
		assertThat(this.logged.lines()).isEmpty();
	}

	@Test
	void clientThatDidNotWaitIsLogged() throws IOException {
		this.coordinator.silent = true;
		try (RawConnection connection = connect()) {
			connection.request("PUT", TARGET, "Content-Length: 5").send("value");
			await().pollDelay(SLOW.plusMillis(100)).until(() -> true);
		}
		await().until(() -> this.logged.lines().size() == 1);
		assertThat(this.logged.lines()).first().asString().contains("put cancelled");
	}

	@Test
	void clientThatWaitsIsNotSlowHoweverThatEnds() throws IOException {
		String other = "/v0/entity?id=other";
		for (String target : List.of(TARGET, other)) {
			assertThat(put(target, new byte[1]).status).isEqualTo(201);
		}
		int before = this.coordinator.calls.get();
		try (RawConnection leaving = connect(); RawConnection failing = connect()) {
			leaving.request("GET", TARGET + "&wait=55", "If-None-Match: *");
			failing.request("GET", other + "&wait=55", "If-None-Match: *");
			await().until(() -> this.coordinator.calls.get() == before + 2);
			await().pollDelay(SLOW.plusMillis(100)).until(() -> true);
			leaving.reset();
			await().until(() -> !this.waits.isAwaited(Key.of(SECRET)));
			this.coordinator.failure = new QuorumNotReachedException(2, 1, false, List.of());
			this.coordinator.waitedNanos.addAndGet(Duration.ofSeconds(56).toNanos());
			this.waits.tick();
			assertThat(failing.answer().status).isEqualTo(504);
		}
		assertThat(this.logged.lines()).isEmpty();
	}

	private double slow() {
		return this.meters.get("quorate.slow.requests").tag("operation", "put").counter().count();
	}

}
