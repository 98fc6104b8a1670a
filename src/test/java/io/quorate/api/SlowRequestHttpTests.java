package io.quorate.api;

import java.io.IOException;
import java.time.Duration;

import io.micrometer.core.instrument.MeterRegistry;
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

	private double slow() {
		return this.meters.get("quorate.slow.requests").tag("operation", "put").counter().count();
	}

}
