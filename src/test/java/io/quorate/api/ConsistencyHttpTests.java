package io.quorate.api;

import java.io.IOException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

class ConsistencyHttpTests extends HttpTests {

	private static final String PATH = "/v0/consistency";

	@Test
	void theReportIsAnsweredAsJson() throws IOException {
		RawConnection.Answer answer = ask("GET", PATH);
		assertThat(answer.status).isEqualTo(200);
		assertThat(answer.headers).containsEntry("content-type", "application/json")
			.containsEntry("cache-control", "no-store");
		JsonNode document = JsonMapper.shared().readTree(answer.text());
		assertThat(document.propertyNames()).containsExactly("node", "rebuilding", "purgedAgeSeconds", "writes",
				"peers");
		assertThat(document.get("node").asString()).isEqualTo("n0");
		assertThat(document.get("rebuilding").asBoolean()).isTrue();
		assertThat(document.get("purgedAgeSeconds").isNull()).isTrue();
		assertThat(document.get("writes")).isEqualTo(JsonMapper.shared().readTree("""
				{"lastSeconds": 300, "everywhere": 0, "p50Millis": null, "p99Millis": null, "missed": 0,
				 "superseded": 0}"""));
		assertThat(document.get("peers")).isEqualTo(JsonMapper.shared().readTree("""
				[{"peer": "n1", "member": "up", "hints": {"count": 7, "bytes": 700, "oldestSeconds": 1.5},
				  "comparison": {"ageSeconds": 2.5, "led": "n0", "running": true, "keysCompared": 10, "keysBefore": 20},
				  "purge": {"withheldSeconds": 3.5, "reason": "away", "lost": false}},
				 {"peer": "n2", "member": "disconnected", "hints": null, "comparison": null, "purge": null}]"""));
	}

	@Test
	void itIsForPeopleToo() throws IOException {
		assertThat(ask("GET", PATH).text()).startsWith("{\n  \"node\" : \"n0\",\n").endsWith("}\n");
	}

	@Test
	void headHasNoBody() throws IOException {
		try (RawConnection connection = connect()) {
			RawConnection.Answer head = connection.request("HEAD", PATH).head();
			assertThat(head.status).isEqualTo(200);
			assertThat(head.headers.get("content-length"))
				.isEqualTo(Integer.toString(ask("GET", PATH).text().length()));
			assertThat(connection.request("GET", PATH).answer().status).as("nothing came before it").isEqualTo(200);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "POST", "PUT", "DELETE", "PATCH", "OPTIONS" })
	void otherMethodsAreNotAllowed(String method) throws IOException {
		RawConnection.Answer answer = ask(method, PATH, "Content-Length: 0");
		assertProblem(answer, 405, "method-not-allowed", method);
		assertThat(answer.headers).containsEntry("allow", "GET, HEAD");
	}

	@Test
	void itHasNoParameters() throws IOException {
		assertProblem(ask("GET", PATH + "?node=n1"), 400, "bad-request",
				"'node' is unknown here, where there are none");
		assertThat(ask("GET", PATH + "?_=1").status).isEqualTo(200);
	}

	@Test
	void aPathBelowItIsUnknown() throws IOException {
		assertProblem(ask("GET", PATH + "/n1"), 400, "unknown-path", "");
	}

	@Test
	void noReplicaIsAsked() throws IOException {
		assertThat(ask("GET", PATH).status).isEqualTo(200);
		assertThat(this.coordinator.calls).hasValue(0);
	}

}
