package io.quorate.api;

import java.io.IOException;

import io.micrometer.tracing.Tracer;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/** A client's trace on a node without an endpoint to send spans to. */
class TraceOffHttpTests extends HttpTests {

	private static final String PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

	@Autowired
	ObjectProvider<Tracer> tracer;

	@Test
	void nothingOfTracingIsThere() {
		assertThat(this.tracer.getIfAvailable()).isNull();
	}

	/*
	 * With it Reactor looks for thread-locals in operators that every request goes
	 * through.
	 */
	@Test
	void libraryThatSlowsReactorDownIsNotOnTheClassPath() {
		assertThat(ClassUtils.isPresent("io.micrometer.context.ContextSnapshot", getClass().getClassLoader()))
			.isFalse();
	}

	@Test
	void answerSaysWhoseTraceItBelongsTo() throws IOException {
		assertThat(ask("GET", "/v0/entity?id=a", "traceparent: " + PARENT).headers).containsEntry("traceparent",
				PARENT);
		assertThat(ask("GET", "/v0/entities?start=a", "Traceparent: " + PARENT).headers).containsEntry("traceparent",
				PARENT);
		assertThat(ask("GET", "/v0/entity?id=", "traceparent: " + PARENT).headers).containsEntry("traceparent", PARENT);
	}

	@Test
	void anInvalidTraceParentIsIgnored() throws IOException {
		RawConnection.Answer answer = ask("GET", "/v0/entity?id=a", "traceparent: 00-abc-def-01");
		assertThat(answer.status).isEqualTo(404);
		assertThat(answer.headers).doesNotContainKey("traceparent");
	}

	@Test
	void requestWithoutATraceHasNone() throws IOException {
		assertThat(ask("GET", "/v0/entity?id=a").headers).doesNotContainKey("traceparent");
	}

}
