package io.quorate.api;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;

import io.quorate.api.RawConnection.Answer;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Pipelines that are deeper than what a node takes of a connection at a time. */
class PipelineHttpTests extends HttpTests {

	private static final String FIELDS = " HTTP/1.1\r\nHost: localhost\r\nQuorate-Timeout: 30000\r\n";

	private static final String GET = "GET /v0/entity/k" + FIELDS + "\r\n";

	@Test
	void aPipelineOfAnyDepthIsAnsweredInItsOrder() throws IOException {
		this.coordinator.writesElsewhere = true;
		int writes = 1_000;
		StringBuilder requests = new StringBuilder();
		for (int i = 0; i < writes; i++) {
			requests.append(put("value " + i)).append(GET.repeat(9));
		}
		try (RawConnection connection = connect()) {
			CompletableFuture<Void> sending = sending(connection, requests.toString());
			for (int i = 0; i < writes; i++) {
				assertThat(connection.answer().status).as("answer to write %d", i).isEqualTo(201);
				for (int read = 0; read < 9; read++) {
					assertThat(connection.answer().text()).as("read %d of %d", read, i).isEqualTo("value " + i);
				}
			}
			sending.join();
			assertThat(connection.send(GET).answer().status).isEqualTo(200);
		}
	}

	@Test
	void largeValuesInAPipelineArriveWhole() throws IOException {
		StringBuilder requests = new StringBuilder();
		for (int i = 0; i < 50; i++) {
			requests.append(put("%d\n".formatted(i).repeat(50_000))).append(GET);
		}
		try (RawConnection connection = connect()) {
			CompletableFuture<Void> sending = sending(connection, requests.toString());
			for (int i = 0; i < 50; i++) {
				assertThat(connection.answer().status).isEqualTo(201);
				assertThat(connection.answer().text()).isEqualTo("%d\n".formatted(i).repeat(50_000));
			}
			sending.join();
		}
	}

	@Test
	void nothingBehindARequestThatEndsTheConnectionIsDone() throws IOException {
		int before = 300;
		String last = "GET /v0/entity/k" + FIELDS + "Connection: close\r\n\r\n";
		String requests = put("v").repeat(before) + last + put("w").repeat(1_000);
		this.coordinator.writesElsewhere = true;
		try (RawConnection connection = connect()) {
			connection.send(requests);
			for (int i = 0; i < before; i++) {
				Answer answer = connection.answer();
				assertThat(answer.status).isEqualTo(201);
				assertThat(answer.headers).doesNotContainKey("connection");
			}
			Answer answer = connection.answer();
			assertThat(answer.text()).isEqualTo("v");
			assertThat(answer.headers).containsEntry("connection", "close");
			assertThat(connection.isAtEnd()).isTrue();
		}
		assertThat(this.coordinator.calls).hasValue(before + 1);
	}

	@Test
	void aServerEndsTheConnectionAtWhatIsNoHttpBehindAllAnswers() throws IOException {
		int before = 300;
		String requests = put("v").repeat(before) + "no HTTP at all\r\n\r\n" + put("w").repeat(1_000);
		this.coordinator.writesElsewhere = true;
		try (RawConnection connection = connect()) {
			connection.send(requests);
			for (int i = 0; i < before; i++) {
				assertThat(connection.answer().status).isEqualTo(201);
			}
			Answer answer = connection.answer();
			assertProblem(answer, 400, "bad-request", "not well-formed");
			assertThat(answer.headers).containsEntry("connection", "close");
			assertThat(connection.isAtEnd()).isTrue();
		}
		assertThat(this.coordinator.calls).hasValue(before);
	}

	@Test
	void aClientThatGoesAwayLeavesTheRestUndone() throws IOException {
		this.coordinator.keepBack();
		try (RawConnection connection = connect()) {
			connection.send(put("v").repeat(500));
			connection.reset();
		}
		this.coordinator.proceed();
		everythingIsGivenBack();
	}

	private static String put(String value) {
		return "PUT /v0/entity/k" + FIELDS + "Content-Length: " + value.length() + "\r\n\r\n" + value;
	}

	/* The node reads no further while the client does not. */
	private static CompletableFuture<Void> sending(RawConnection connection, String text) {
		return CompletableFuture.runAsync(() -> {
			try {
				connection.send(text);
			}
			catch (IOException failure) {
				throw new IllegalStateException(failure);
			}
		});
	}

}
