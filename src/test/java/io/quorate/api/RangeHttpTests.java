package io.quorate.api;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.quorate.api.RawConnection.Answer;
import io.quorate.coordinator.QuorumNotReachedException;
import io.quorate.coordinator.RefusedException.Why;
import io.quorate.coordinator.RefusedException;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofMillis;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.awaitility.Awaitility.await;

class RangeHttpTests extends HttpTests {

	private static final String CHUNKS = "Accept: application/octet-stream";

	@Test
	void eachRecordIsExactlyOneChunk() throws IOException {
		hold("a", "1");
		hold("b", "two\nlines");
		hold("c", "");
		hold("ключ", "значение");
		Answer answer = ask("GET", "/v0/entities?start=a", CHUNKS);
		assertThat(answer.status).isEqualTo(200);
		assertThat(answer.headers).containsEntry("transfer-encoding", "chunked")
			.containsEntry("cache-control", "no-store")
			.containsEntry("content-type", "application/octet-stream");
		assertThat(texts(answer)).containsExactly("a\n1", "b\ntwo\nlines", "c\n", "ключ\nзначение");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			start=a | a b ba c
			start=b | b ba c
			start=b%00 | ba c
			start=a&end=b | a
			start=a&end=ba | a b
			start=a&end=zzz | a b ba c
			start=a&limit=2 | a b
			start=a&limit=1000000000000000000000 |
			start=b%00&limit=1 | ba
			prefix=b | b ba
			prefix=ba | ba
			prefix=b&limit=1 | b
			reverse=true | c ba b a
			reverse=true&limit=2 | c ba
			reverse=true&start=b | c ba b
			reverse=true&end=b | a
			reverse=true&end=b%00 | b a
			reverse=true&start=b&end=c | ba b
			reverse=true&start=b&end=c&limit=1 | ba
			reverse=true&prefix=b | ba b
			reverse=false&start=b | b ba c
			keys=false&start=b | b ba c
			""")
	void aRangeIsWhatItsBoundsSay(String query, @Nullable String keys) throws IOException {
		for (String key : List.of("a", "b", "ba", "c")) {
			hold(key, "v");
		}
		Answer answer = ask("GET", "/v0/entities?" + query, CHUNKS);
		if (keys == null) {
			assertThat(answer.status).isEqualTo(400);
			return;
		}
		assertThat(texts(answer))
			.containsExactly(List.of(keys.split(" ", -1)).stream().map((key) -> key + "\nv").toArray(String[]::new));
	}

	@ParameterizedTest
	@ValueSource(strings = { "start=x", "start=b&end=a", "start=a&end=a", "prefix=x" })
	void anEmptyRangeIs200WithoutBody(String query) throws IOException {
		hold("a", "v");
		try (RawConnection connection = connect()) {
			Answer answer = connection.request("GET", "/v0/entities?" + query, CHUNKS).answer();
			assertThat(answer.status).isEqualTo(200);
			assertThat(answer.body).isEmpty();
			assertThat(connection.request("GET", "/v0/entities?start=a", CHUNKS).answer().chunks).hasSize(1);
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = ' ', textBlock = """
			'' instead
			start= empty
			end=b missing
			start=%zz escape
			start=a&end= empty
			start=a&end=%ff UTF-8
			start=a&start=b once
			start=a&prefix=b beside
			end=a&prefix=b beside
			prefix= empty
			start=a&limit=0 between
			start=a&limit=-1 number
			start=a&limit= number
			start=a&ack=2 above
			start=a&replicas=1/2 replication
			start=a&keys=1 'true'
			start=a&keys= false
			start=a&reverse=yes 'yes'
			reverse=false missing
			reverse=true&start= empty
			reverse=true&start=a&prefix=b beside
			start=a&revers=true reverse
			start=a&ID=x where
			start=a&offset=3 unknown
			start=a&order=desc unknown
			start=a&max=5 unknown
			start=a&page=2 unknown
			start=a&ttl=60 PUT
			cursor= cursor
			cursor=AQAAAWEAAI0YBa4&keys=true 'keys'
			cursor=AQAAAWEAAI0YBa4&reverse=false 'reverse'
			cursor=AAAA damaged
			cursor=AQAAAWEAAI0YBa4&cursor=AQAAAWEAAI0YBa4 once
			cursor=AQAAAWEAAI0YBa4&start=a 'start'
			cursor=AQAAAWEAAI0YBa4&end=a 'end'
			cursor=AQAAAWEAAI0YBa4&prefix=a 'prefix'
			cursor=AQAAAWEAAI0YBa4&limit=0 between
			cursor=AQAAAWEAAI0YBa4&ack=2 above
			""")
	void anInvalidQueryIsRefused(String query, String wrong) throws IOException {
		assertProblem(ask("GET", "/v0/entities?" + query, CHUNKS), 400, "bad-request", wrong);
		assertThat(this.coordinator.pages).hasValue(0);
	}

	@Test
	void manyPagesComeWholeAndInOrder() throws IOException {
		Random random = new Random(7);
		List<String> expected = new ArrayList<>();
		for (int i = 0; i < 20_000; i++) {
			String key = "k%06d".formatted(i);
			String value = "v".repeat(random.nextInt(100));
			hold(key, value);
			expected.add(key + "\n" + value);
		}
		try (RawConnection connection = connect()) {
			assertThat(texts(connection.request("GET", "/v0/entities?start=k", CHUNKS).answer())).isEqualTo(expected);
			assertThat(connection.request("GET", "/v0/entities?start=k&limit=1", CHUNKS).answer().chunks).hasSize(1);
		}
	}

	@Test
	void largeRecordsAreOneChunkEach() throws IOException {
		byte[] value = new byte[ApiTestApplication.MAX_VALUE_BYTES];
		new Random(1).nextBytes(value);
		for (int i = 0; i < 5; i++) {
			this.coordinator.hold(Key.of("k" + i), Value.wrap(value));
		}
		Answer answer = ask("GET", "/v0/entities?start=k", CHUNKS);
		assertThat(answer.chunks).hasSize(5).allSatisfy((chunk) -> assertThat(chunk).hasSize(value.length + 3));
		assertThat(ask("GET", "/v0/entities?start=k", "Accept: application/x-ndjson").chunks).hasSize(6);
	}

	@Test
	void theFirstRecordIsThereBeforeTheScanEnds() throws IOException {
		fill(200, 64 * 1024);
		try (RawConnection connection = RawConnection.to(this.port, 4096)) {
			assertThat(connection.request("GET", "/v0/entities?start=k", CHUNKS).head().status).isEqualTo(200);
			assertThat(new String(requireNonNull(connection.chunk()), UTF_8)).startsWith("k000000\n");
			assertThat(this.coordinator.pages.get()).isLessThan(30);
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 100, 4000, 60_000, 500_000 })
	void aClientThatDoesNotReadStopsTheScan(int valueBytes) throws IOException {
		fill(24 * 1024 * 1024 / (valueBytes + 1000), valueBytes);
		try (RawConnection connection = RawConnection.to(this.port, 4096)) {
			connection.request("GET", "/v0/entities?start=k", CHUNKS);
			await().during(ofMillis(500)).until(pagesPulled()::stable);
			// What the kernel takes of a loopback connection is up to 4 MiB or so,
			// whatever the page.
			int kernel = 6 * 1024 * 1024 / Math.max(256 * 1024, valueBytes);
			assertThat(this.coordinator.pages.get()).isLessThanOrEqualTo(kernel + 2);
			assertThat(this.admission.bytes()).isLessThanOrEqualTo(256 * 1024 + valueBytes + 5000L);
		}
	}

	@Test
	void aClientThatStandsStillLosesItsScanAndSeesIt() throws IOException {
		fill(500, 60_000);
		try (RawConnection connection = RawConnection.to(this.port, 4096)) {
			connection.request("GET", "/v0/entities?start=k", CHUNKS);
			await().until(() -> this.admission.requests() == 1);
			await().until(() -> this.admission.requests() == 0);
			assertThatIOException().isThrownBy(connection::answer);
		}
	}

	@Test
	void aClientThatStandsStillLosesItsLargeValue() throws IOException {
		this.coordinator.hold(Key.of("a"), Value.wrap(new byte[7 * 1024 * 1024]));
		try (RawConnection connection = RawConnection.to(this.port, 4096)) {
			connection.request("GET", "/v0/entity?id=a");
			await().until(() -> this.admission.bytes() > 0);
			await().until(() -> this.admission.bytes() == 0);
		}
	}

	@Test
	void anErrorBeforeTheFirstByteIsAProblem() throws IOException {
		hold("a", "v");
		this.coordinator.failure = new QuorumNotReachedException(1, 0, false, List.of());
		assertProblem(ask("GET", "/v0/entities?start=a", CHUNKS), 504, "not-enough-replicas", "had to answer");
		this.coordinator.failure = new RefusedException(Why.REPLICAS, "scans at the limit of 3");
		Answer answer = ask("GET", "/v0/entities?start=a", "Accept: application/x-ndjson");
		assertProblem(answer, 503, "overloaded", "limit of 3");
	}

	@Test
	void anErrorAfterItClosesTheConnectionWithoutTheLastChunk() throws IOException {
		fill(1000, 1000);
		this.coordinator.pagesBeforeFailure = 2;
		this.coordinator.failure = new QuorumNotReachedException(1, 0, false, List.of());
		try (RawConnection connection = connect()) {
			assertThat(connection.request("GET", "/v0/entities?start=k", CHUNKS).head().status).isEqualTo(200);
			assertThatIOException().isThrownBy(() -> {
				while (connection.chunk() != null) {
					// reads on to where it breaks off
				}
			});
		}
	}

	@Test
	void abortedScansGiveEverythingBack() throws IOException {
		fill(500, 60_000);
		for (int i = 0; i < 10; i++) {
			RawConnection connection = RawConnection.to(this.port, 4096);
			connection.request("GET", "/v0/entities?start=k", CHUNKS).head();
			connection.chunk();
			if (i % 2 == 0) {
				connection.reset();
			}
			else {
				connection.close();
			}
		}
		await().until(() -> this.admission.requests() == 0);
	}

	private Stability pagesPulled() {
		return new Stability();
	}

	private void fill(int count, int valueBytes) {
		byte[] value = new byte[valueBytes];
		for (int i = 0; i < count; i++) {
			this.coordinator.hold(Key.of("k%06d".formatted(i)), Value.wrap(value));
		}
	}

	private void hold(String key, String value) {
		this.coordinator.hold(Key.of(key), Value.wrap(value.getBytes(StandardCharsets.UTF_8)));
	}

	private static List<String> texts(Answer answer) {
		return answer.chunks.stream().map((chunk) -> new String(chunk, UTF_8)).toList();
	}

	private final class Stability {

		private int last = -1;

		boolean stable() {
			int now = RangeHttpTests.this.coordinator.pages.get();
			boolean same = now == this.last && now > 0;
			this.last = now;
			return same;
		}

	}

}
