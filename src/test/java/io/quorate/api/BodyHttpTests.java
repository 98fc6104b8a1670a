package io.quorate.api;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import io.quorate.api.RawConnection.Answer;
import io.quorate.entry.Key;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofMillis;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class BodyHttpTests extends HttpTests {

	/* Taken at once of the room for bodies. */
	private static final int STEP_BYTES = 4 * 1024;

	private static final String A = "/v0/entity?id=a";

	private static final int MAX = ApiTestApplication.MAX_VALUE_BYTES;

	@Test
	void aBodyThatIsDeclaredTooLargeIsRefusedBeforeItIsSent() throws IOException {
		try (RawConnection connection = connect()) {
			Answer answer = connection.request("PUT", A, "Content-Length: " + (MAX + 1)).answer();
			assertProblem(answer, 413, "value-too-large", "" + MAX);
			assertThat(answer.headers).containsEntry("connection", "close");
			assertThat(connection.isAtEnd()).isTrue();
		}
	}

	@Test
	void aClientThatAsksFirstIsToldToGoOn() throws IOException {
		try (RawConnection connection = connect()) {
			connection.request("PUT", A, "Content-Length: 5", "Expect: 100-continue");
			assertThat(connection.head().status).isEqualTo(100);
			assertThat(connection.send("value").answer().status).isEqualTo(201);
			assertThat(connection.request("GET", A).answer().text()).isEqualTo("value");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "/v0/entity?id=a&ack=2", "/v0/entity?id=", "/v0/nowhere" })
	void aClientThatAsksFirstIsToldOfItsErrorInstead(String target) throws IOException {
		try (RawConnection connection = connect()) {
			Answer answer = connection.request("PUT", target, "Content-Length: 5", "Expect: 100-continue").answer();
			assertThat(answer.status).isEqualTo(400);
			assertThat(answer.headers).containsEntry("connection", "close");
		}
	}

	@Test
	void aClientThatAsksFirstWithTooMuchIsRefused() throws IOException {
		try (RawConnection connection = connect()) {
			String length = "Content-Length: " + 50 * MAX;
			assertThat(connection.request("PUT", A, length, "Expect: 100-continue").answer().status).isEqualTo(413);
			assertThat(connection.isAtEnd()).isTrue();
		}
	}

	@Test
	void aClientThatSendsTooMuchWithoutAskingStillReadsWhy() throws IOException {
		try (RawConnection connection = connect()) {
			connection.request("PUT", A, "Content-Length: " + 8 * MAX);
			for (int i = 0; i < 8; i++) {
				connection.send(new byte[MAX]);
			}
			assertThat(connection.answer().status).isEqualTo(413);
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 100, 1023, 1024, 8192, 70_000 })
	void aChunkedBodyIsTakenWhateverItsChunks(int chunkBytes) throws IOException {
		byte[] value = new byte[200_000];
		new Random(chunkBytes).nextBytes(value);
		int size = Math.min(value.length, chunkBytes * 3000);
		byte[] sent = Arrays.copyOf(value, size);
		try (RawConnection connection = connect()) {
			connection.request("PUT", A, "Transfer-Encoding: chunked")
				.send(chunked(sent, chunkBytes))
				.send("0\r\n\r\n");
			assertThat(connection.answer().status).isEqualTo(201);
			assertThat(connection.request("GET", A).answer().body).isEqualTo(sent);
		}
	}

	@Test
	void aChunkedBodyOfUnevenChunksKeepsItsOrder() throws IOException {
		Random random = new Random(42);
		byte[] value = new byte[MAX];
		random.nextBytes(value);
		try (RawConnection connection = connect()) {
			connection.request("PUT", A, "Transfer-Encoding: chunked");
			int at = 0;
			while (at < value.length) {
				int length = Math.min(value.length - at, 1 + random.nextInt(random.nextBoolean() ? 50 : 20_000));
				connection.send(chunked(Arrays.copyOfRange(value, at, at + length), length));
				at += length;
			}
			assertThat(connection.send("0\r\n\r\n").answer().status).isEqualTo(201);
		}
		assertThat(requireNonNull(this.coordinator.held(Key.of("a"))).value().array()).isEqualTo(value);
	}

	@ParameterizedTest
	@ValueSource(strings = { "-1\r\nxx\r\n", "zz\r\n", "ffffffffffffffff\r\nabc", "3\r\nabcdef\r\n" })
	void aChunkedBodyThatBreaksOffIsNoValue(String rest) throws IOException {
		put("/v0/entity?id=a", "before".getBytes(UTF_8));
		try (RawConnection connection = connect()) {
			connection.request("PUT", "/v0/entity?id=a", "Transfer-Encoding: chunked").send("3\r\nabc\r\n" + rest);
			assertProblem(connection.answer(), 400, "bad-request", "not well-formed");
			assertThat(connection.isAtEnd()).isTrue();
		}
		everythingIsGivenBack();
		assertThat(ask("GET", "/v0/entity?id=a").text()).isEqualTo("before");
	}

	@ParameterizedTest
	@ValueSource(strings = { "identity", "gzip", "gzip, chunked", "xchunked", "chunked;x=y", "chunked, chunked" })
	void aBodyInAnotherCodingIsRefused(String coding) throws IOException {
		put("/v0/entity?id=a", "before".getBytes(UTF_8));
		try (RawConnection connection = connect()) {
			connection.request("PUT", "/v0/entity?id=a", "Transfer-Encoding: " + coding).send("3\r\nabc\r\n0\r\n\r\n");
			assertProblem(connection.answer(), 400, "bad-request", "detail");
			assertThat(connection.isAtEnd()).isTrue();
		}
		assertThat(ask("GET", "/v0/entity?id=a").text()).isEqualTo("before");
	}

	@Test
	void aChunkedBodyIsCutAtTheLimit() throws IOException {
		try (RawConnection connection = connect()) {
			connection.request("PUT", A, "Transfer-Encoding: chunked").send(chunked(new byte[MAX + 1], 50_000));
			assertProblem(connection.answer(), 413, "value-too-large", "" + MAX);
			assertThat(connection.isAtEnd()).isTrue();
		}
		assertThat(this.coordinator.calls).hasValue(0);
	}

	@Test
	void aBodyOfExactlyTheLimitIsTakenInEitherForm() throws IOException {
		assertThat(put(A, new byte[MAX]).status).isEqualTo(201);
		try (RawConnection connection = connect()) {
			connection.request("PUT", A, "Transfer-Encoding: chunked").send(chunked(new byte[MAX], 50_000));
			assertThat(connection.send("0\r\n\r\n").answer().status).isEqualTo(201);
		}
	}

	@Test
	void aBodyForWhichThereIsNoRoomIsRefusedBeforeItIsSent() throws IOException {
		try (var _ = this.admission.admit(ApiTestApplication.MAX_BYTES - 10); RawConnection connection = connect()) {
			Answer answer = connection.request("PUT", A, "Content-Length: 100000").answer();
			assertProblem(answer, 503, "overloaded", "nothing was done");
			assertThat(answer.headers).containsEntry("retry-after", "1");
		}
	}

	@Test
	void aChunkedBodyThatOutgrowsTheRoomIsRefused() throws IOException {
		try (var _ = this.admission.admit(ApiTestApplication.MAX_BYTES - 10); RawConnection connection = connect()) {
			connection.request("PUT", A, "Transfer-Encoding: chunked").send(chunked(new byte[20], 10));
			assertProblem(connection.answer(), 503, "overloaded", "nothing was done");
		}
	}

	@Test
	void aValueForWhichThereIsNoRoomIsRefused() throws IOException {
		put(A, new byte[100]);
		try (var _ = this.admission.admit(ApiTestApplication.MAX_BYTES - 10)) {
			assertProblem(ask("GET", A), 503, "overloaded", "nothing was done");
		}
		assertThat(ask("GET", A).status).isEqualTo(200);
	}

	@Test
	void aSmallBodyThatIsRefusedLeavesTheConnectionUsable() throws IOException {
		try (RawConnection connection = connect()) {
			Answer answer = connection.request("PUT", "/v0/entity?id=", "Content-Length: 5").send("value").answer();
			assertThat(answer.status).isEqualTo(400);
			assertThat(answer.headers).doesNotContainKey("connection");
			assertThat(connection.request("GET", A).answer().status).isEqualTo(404);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "Content-Length: 500000", "Transfer-Encoding: chunked" })
	void anAbortedUploadGivesEverythingBack(String framing) throws IOException {
		for (int i = 0; i < 6; i++) {
			RawConnection connection = connect();
			connection.request("PUT", A, framing).send(chunked(new byte[100_000], 30_000));
			await().until(() -> this.admission.bytes() > 0);
			if (i % 2 == 0) {
				connection.reset();
			}
			else {
				connection.close();
			}
			await().until(() -> this.admission.bytes() == 0 && this.admission.requests() == 0);
		}
		assertThat(this.coordinator.calls).hasValue(0);
	}

	@ParameterizedTest
	@ValueSource(strings = { "Content-Length: 50", "Content-Length: 500000", "Transfer-Encoding: chunked" })
	void aBodyThatStandsStillEndsWith408(String framing) throws IOException {
		try (RawConnection connection = connect()) {
			connection.request("PUT", A, framing).send("3\r\nabc\r\n");
			assertThat(this.admission.requests()).isLessThanOrEqualTo(1);
			Answer answer = connection.answer();
			assertProblem(answer, 408, "body-slow", "for more than 1000 ms");
			assertThat(answer.headers).containsEntry("connection", "close");
			assertThat(connection.isAtEnd()).isTrue();
		}
	}

	/* Each declares as much as there may be, and sends next to nothing of it. */
	@ParameterizedTest
	@ValueSource(strings = { "Content-Length: 1000000", "Content-Length: 50", "Transfer-Encoding: chunked" })
	void aClientThatSendsAlmostNothingBlocksNoOther(String framing) throws IOException {
		List<RawConnection> dripping = new ArrayList<>();
		try {
			for (int i = 0; i < ApiTestApplication.MAX_REQUESTS + 10; i++) {
				dripping.add(connect().request("PUT", A, framing).send("1\r\n"));
			}
			await().until(() -> this.sweep.size() > 0);
			assertThat(this.admission.requests()).isZero();
			assertThat(put("/v0/entity?id=b", new byte[1000]).status).isEqualTo(201);
			assertThat(ask("GET", "/v0/entity?id=b").status).isEqualTo(200);
		}
		finally {
			for (RawConnection connection : dripping) {
				connection.close();
			}
		}
	}

	@Test
	void aBodyThatComesTooSlowlyEndsWith408() throws IOException {
		long began = System.nanoTime();
		try (RawConnection connection = connect()) {
			connection.request("PUT", A, "Content-Length: 1000000");
			await().pollInterval(ofMillis(200)).pollInSameThread().until(() -> {
				connection.send("x");
				assertThat(this.admission.bytes()).isLessThanOrEqualTo(STEP_BYTES);
				return System.nanoTime() - began > ofMillis(2700).toNanos();
			});
			assertProblem(connection.answer(), 408, "body-slow", "16384 bytes a second");
			assertThat(connection.isAtEnd()).isTrue();
		}
	}

	@Test
	void aBodyOfWhichTheRoomIsTakenMeanwhileIsRefusedWhenItNeedsIt() throws IOException {
		try (RawConnection connection = connect()) {
			connection.request("PUT", A, "Content-Length: 1000000").send(new byte[100]);
			await().until(() -> this.admission.bytes() > 0);
			try (var _ = this.admission.admit(ApiTestApplication.MAX_BYTES - 2 * STEP_BYTES)) {
				connection.send(new byte[900_000]);
				assertProblem(connection.answer(), 503, "overloaded", "nothing was done");
			}
		}
	}

	private static byte[] chunked(byte[] body, int chunkBytes) {
		ByteArrayOutputStream out = new ByteArrayOutputStream();
		for (int at = 0; at < body.length; at += chunkBytes) {
			int length = Math.min(chunkBytes, body.length - at);
			out.writeBytes((Integer.toHexString(length) + "\r\n").getBytes(StandardCharsets.US_ASCII));
			out.write(body, at, length);
			out.writeBytes(new byte[] { '\r', '\n' });
		}
		return out.toByteArray();
	}

}
