package io.quorate.operations;

import io.quorate.SharedNode;
import io.quorate.storage.file.InstantName;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import org.springframework.http.MediaType;
import org.springframework.test.web.reactive.server.EntityExchangeResult;
import org.springframework.test.web.reactive.server.WebTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The backups of a whole node, which has none but those of a test, and a port for
 * operators.
 */
class BackupEndpointTests {

	private static WebTestClient operators;

	@BeforeAll
	static void connect() {
		operators = WebClients.operators(SharedNode.POD.context());
	}

	@Test
	void aBackupIsTakenListedAndDeleted() {
		JsonNode taken = json(answer(operators.post().uri("/actuator/backup")), 200);
		String name = taken.get("name").asString();
		assertThat(SharedNode.POD.data().resolve("backups").resolve(name).resolve("SNAPSHOT")).isRegularFile();
		assertThat(taken.get("sizeBytes").asLong()).isPositive();
		JsonNode listed = json(answer(operators.get().uri("/actuator/backup")), 200);
		assertThat(listed.get("busy").asBoolean()).isFalse();
		assertThat(listed.has("underWay")).isFalse();
		assertThat(listed.get("backups").valueStream().toList()).containsExactly(taken);
		json(answer(operators.delete().uri("/actuator/backup/" + name)), 200);
		assertThat(json(answer(operators.get().uri("/actuator/backup")), 200).get("backups")).isEmpty();
	}

	@Test
	void aBackupTakesTheNameThatItIsGiven() {
		String name = InstantName.of(System.currentTimeMillis() + 1_000);
		assertThat(json(answer(named(name)), 200).get("name").asString()).isEqualTo(name);
		assertThat(json(answer(named(name)), 409).get("detail").asString()).contains("not later than the newest");
		assertThat(json(answer(named("monday")), 400).get("detail").asString()).contains("'monday'");
		json(answer(operators.delete().uri("/actuator/backup/" + name)), 200);
	}

	private static WebTestClient.RequestHeadersSpec<?> named(String name) {
		return operators.post()
			.uri("/actuator/backup")
			.contentType(MediaType.APPLICATION_JSON)
			.bodyValue("{\"name\":\"" + name + "\"}");
	}

	@Test
	void aBackupThatIsNotThereIsAnsweredWithAProblem() {
		EntityExchangeResult<byte[]> answer = answer(operators.delete().uri("/actuator/backup/none"));
		JsonNode problem = json(answer, 404);
		assertThat(answer.getResponseHeaders().getContentType()).isEqualTo(MediaType.APPLICATION_PROBLEM_JSON);
		assertThat(problem.get("status").asInt()).isEqualTo(404);
		assertThat(problem.get("detail").asString()).isEqualTo("there is no backup 'none'");
	}

	private static EntityExchangeResult<byte[]> answer(WebTestClient.RequestHeadersSpec<?> request) {
		return request.exchange().expectBody().returnResult();
	}

	private static JsonNode json(EntityExchangeResult<byte[]> answer, int status) {
		assertThat(answer.getStatus().value()).as(String.valueOf(answer)).isEqualTo(status);
		return JsonMapper.shared().readTree(answer.getResponseBody());
	}

}
