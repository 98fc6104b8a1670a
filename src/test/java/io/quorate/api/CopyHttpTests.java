package io.quorate.api;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;

import io.quorate.api.RawConnection.Answer;
import io.quorate.clock.Timestamp;
import io.quorate.entry.ContentType;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/** The lines of a range as the items of a batch: two requests copy records. */
class CopyHttpTests extends HttpTests {

	@Test
	void theLinesOfARangeAreABatchThatWritesItsRecords() throws IOException {
		ContentType text = requireNonNull(ContentType.of("text/plain"));
		long expiry = Instant.now().plus(Duration.ofHours(1)).toEpochMilli();
		hold("copied:1", Versioned.NEVER, text);
		hold("copied:2", expiry, null);
		hold("copied:3", Versioned.NEVER, null);
		Answer range = ask("GET", "/v0/entities?prefix=copied:&limit=2", "Accept: application/x-ndjson");
		this.coordinator.reset();
		byte[] lines = range.body;
		try (RawConnection connection = connect()) {
			connection.request("POST", "/v0/batch", "Content-Length: " + lines.length);
			assertThat(connection.send(lines).answer().text().lines()).as(range.text())
				.hasSize(2)
				.allSatisfy((line) -> assertThat(line).startsWith("{\"status\":201,"));
		}
		assertThat(held("copied:1").contentType()).isEqualTo(text);
		Entry.Live second = held("copied:2");
		assertThat(second.value().array()).isEqualTo("copied:2".getBytes(StandardCharsets.UTF_8));
		assertThat(second.expiryMillis() - second.timestamp().millis()).isBetween(1L, Duration.ofHours(1).toMillis());
		assertThat(this.coordinator.held(Key.of("copied:3"))).isNull();
	}

	private void hold(String key, long expiry, @Nullable ContentType contentType) {
		this.coordinator.hold(Key.of(key), new Entry.Live(new Timestamp(5, 6), 1, expiry,
				Value.wrap(key.getBytes(StandardCharsets.UTF_8)), contentType));
	}

	private Entry.Live held(String key) {
		return requireNonNull(this.coordinator.held(Key.of(key)));
	}

}
