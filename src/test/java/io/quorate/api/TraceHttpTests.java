package io.quorate.api;

import java.io.IOException;
import java.util.List;

import io.opentelemetry.proto.trace.v1.Span.SpanKind;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status.StatusCode;
import io.quorate.api.RawConnection.Answer;
import io.quorate.coordinator.QuorumNotReachedException;
import io.quorate.entry.Key;
import io.quorate.security.LoggedKey;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofMillis;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The spans that a node sends to a collector of traces. */
@DirtiesContext
class TraceHttpTests extends HttpTests {

	private static final SpanReceiver RECEIVER = new SpanReceiver();

	private static final String SECRET = "secret";

	private static final String TARGET = "/v0/entity?id=" + SECRET + "&replicas=1/1";

	private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";

	private static final String PARENT = "b7ad6b7169203331";

	@DynamicPropertySource
	static void tracing(DynamicPropertyRegistry properties) {
		properties.add("management.opentelemetry.tracing.export.otlp.endpoint", RECEIVER::endpoint);
		properties.add("management.opentelemetry.tracing.export.schedule-delay", () -> "50ms");
		properties.add("management.tracing.sampling.probability", () -> "0");
		properties.add("quorate.node.id", () -> "n7");
		properties.add("quorate.api.slow-request", () -> "1ms");
	}

	@AfterAll
	static void close() {
		RECEIVER.close();
	}

	@Test
	void requestOfASampledTraceIsASpanWithWhatItWentThrough() throws IOException {
		this.coordinator.delay = ofMillis(30);
		Answer answer;
		List<String> logged;
		try (LoggedLines lines = new LoggedLines("io.quorate.slow")) {
			answer = put(TARGET, "value".getBytes(UTF_8), "traceparent: 00-" + TRACE + "-" + PARENT + "-01");
			logged = lines.lines();
		}
		assertThat(answer.status).isEqualTo(201);
		await().until(() -> RECEIVER.spans(TRACE).size() == 4);
		Span server = span(SpanKind.SPAN_KIND_SERVER);
		assertThat(answer.headers).containsEntry("traceparent",
				"00-" + TRACE + "-" + SpanReceiver.hex(server.getSpanId()) + "-01");
		assertThat(SpanReceiver.hex(server.getParentSpanId())).isEqualTo(PARENT);
		assertThat(server.getName()).isEqualTo("PUT /v0/entity");
		assertThat(SpanReceiver.attribute(server, "http.response.status_code")).isEqualTo("201");
		assertThat(SpanReceiver.attribute(server, "quorate.outcome")).isEqualTo("success");
		assertThat(SpanReceiver.attribute(server, "quorate.replicas")).isEqualTo("1/1");
		assertThat(SpanReceiver.attribute(server, "quorate.key.hash")).isEqualTo(LoggedKey.of(Key.of(SECRET)));
		assertThat(server.getStatus().getCode()).isEqualTo(StatusCode.STATUS_CODE_UNSET);
		assertThat(server.getEndTimeUnixNano() - server.getStartTimeUnixNano())
			.isGreaterThanOrEqualTo(ofMillis(30).toNanos());
		assertThat(RECEIVER.spans(TRACE)).filteredOn((span) -> !span.equals(server)).allSatisfy((span) -> {
			assertThat(span.getParentSpanId()).isEqualTo(server.getSpanId());
			assertThat(span.getStartTimeUnixNano()).isGreaterThanOrEqualTo(server.getStartTimeUnixNano());
			assertThat(span.getEndTimeUnixNano()).isLessThanOrEqualTo(server.getEndTimeUnixNano());
		})
			.extracting((span) -> span.getName() + " " + SpanReceiver.attribute(span, "quorate.node") + " "
					+ SpanReceiver.attribute(span, "quorate.outcome"))
			.containsExactlyInAnyOrder("replicas  ", "replica write n0 applied", "replica repair n-1.b_c waiting");
		assertThat(RECEIVER.spans(TRACE).toString()).doesNotContain(SECRET);
		assertThat(RECEIVER.received()).first()
			.extracting((resource) -> SpanReceiver.attribute(resource.getResource().getAttributesList(),
					"service.instance.id"))
			.isEqualTo("n7");
		assertThat(logged).singleElement().asString().endsWith("; trace " + TRACE);
	}

	private static Span span(SpanKind kind) {
		return RECEIVER.spans(TRACE).stream().filter((span) -> span.getKind() == kind).findFirst().orElseThrow();
	}

	@Test
	void requestThatFailsIsAnErrorInItsTrace() throws IOException {
		String trace = "1af7651916cd43dd8448eb211c80319c";
		this.coordinator.failure = new QuorumNotReachedException(2, 1, true, List.of());
		assertThat(ask("GET", TARGET, "traceparent: 00-" + trace + "-" + PARENT + "-01").status).isEqualTo(504);
		await().until(() -> RECEIVER.spans(trace).size() == 4);
		assertThat(RECEIVER.spans(trace))
			.filteredOn((span) -> span.getStatus().getCode() == StatusCode.STATUS_CODE_ERROR)
			.singleElement()
			.satisfies((span) -> {
				assertThat(span.getKind()).isEqualTo(SpanKind.SPAN_KIND_SERVER);
				assertThat(SpanReceiver.attribute(span, "quorate.outcome")).isEqualTo("unavailable");
			});
	}

	@Test
	void traceThatIsNotSampledGoesOnAndIsNotSent() throws IOException {
		String trace = "2af7651916cd43dd8448eb211c80319c";
		Answer unsampled = ask("GET", TARGET, "traceparent: 00-" + trace + "-" + PARENT + "-00");
		assertThat(unsampled.headers.get("traceparent")).matches("00-" + trace + "-[0-9a-f]{16}-00");
		String fresh = requireNonNull(ask("GET", TARGET).headers.get("traceparent"));
		assertThat(fresh).matches("00-[0-9a-f]{32}-[0-9a-f]{16}-00");
		String later = "3af7651916cd43dd8448eb211c80319c";
		ask("GET", TARGET, "traceparent: 00-" + later + "-" + PARENT + "-01");
		await().until(() -> !RECEIVER.spans(later).isEmpty());
		assertThat(RECEIVER.spans(trace)).isEmpty();
		assertThat(RECEIVER.spans(fresh.substring(3, 35))).isEmpty();
	}

}
