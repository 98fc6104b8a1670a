package io.quorate.operations;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;

import io.quorate.QuorateApplication;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.MediaType;
import org.springframework.test.web.reactive.server.EntityExchangeResult;
import org.springframework.test.web.reactive.server.WebTestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A whole node whose only peer is not there, and a port of its own for operators. */
class RepairEndpointTests {

	private static ConfigurableApplicationContext node;

	private static WebTestClient clients;

	private static WebTestClient operators;

	@BeforeAll
	static void start(@TempDir Path directory) throws IOException {
		node = new SpringApplication(QuorateApplication.class).run("--server.port=0", "--management.server.port=0",
				"--quorate.storage.directory=" + directory, "--quorate.node.id=n0",
				"--quorate.cluster.members=" + members(), "--quorate.repair.enabled=false");
		clients = WebClients.clients(node);
		operators = WebClients.operators(node);
	}

	private static String members() throws IOException {
		try (ServerSocket own = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
				ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return "n0@127.0.0.1:%d,n1@127.0.0.1:%d".formatted(own.getLocalPort(), other.getLocalPort());
		}
	}

	@AfterAll
	static void stop() {
		node.close();
	}

	@Test
	void aComparisonIsBegunAndItsProgressShown() {
		assertThat(post("{\"start\":\"a\",\"end\":\"b\",\"peer\":\"n1\"}")).startsWith("202 ");
		await().until(() -> progress("a").get("state").asString().equals("interrupted"));
		JsonNode shown = progress("a");
		assertThat(shown.get("peer").asString()).isEqualTo("n1");
		assertThat(shown.get("requested").asBoolean()).isTrue();
		assertThat(shown.get("end").asString()).isEqualTo("b");
		assertThat(shown.get("failure").asString()).startsWith("disconnected");
		assertThat(shown.get("completed").isNull()).isTrue();
	}

	@Test
	void withoutARangeItIsOfEverything() {
		assertThat(post("{}")).startsWith("202 ");
		await().until(() -> progress("").get("state").asString().equals("interrupted"));
		assertThat(progress("").get("end").isNull()).isTrue();
	}

	@Test
	void withoutABodyItIsOfEverythingWithEverybody() {
		assertThat(status(operators.post().uri("/actuator/repair"))).isEqualTo(202);
		await().until(() -> progress("").get("state").asString().equals("interrupted"));
	}

	@ParameterizedTest
	@ValueSource(strings = { MediaType.APPLICATION_FORM_URLENCODED_VALUE, MediaType.TEXT_PLAIN_VALUE })
	void aBodyThatIsNotReadIsNotTakenForNone(String type) {
		assertThat(status(operators.post()
			.uri("/actuator/repair")
			.contentType(MediaType.valueOf(type))
			.bodyValue("{\"peer\":\"n1\"}"))).isEqualTo(415);
	}

	@Test
	void commandsNeedNoBodyEither() {
		assertThat(status(operators.post().uri("/actuator/recovery/nonsense"))).isEqualTo(400);
		assertThat(status(operators.post().uri("/actuator/recovery/end-rebuild"))).as("there is none").isEqualTo(409);
	}

	@ParameterizedTest
	@ValueSource(strings = { "{\"peer\":\"n2\"}", "{\"peer\":\"n0\"}", "{\"start\":\"b\",\"end\":\"a\"}",
			"{\"start\":\"a\",\"end\":\"a\"}", "{\"start\":\"\"}" })
	void anInvalidRequestIsRefused(String request) {
		assertThat(post(request)).startsWith("400 ");
	}

	@Test
	void clientsHaveNothingToDoWithIt() {
		assertThat(clients.post().uri("/actuator/repair").exchange().expectBody(String.class).returnResult())
			.satisfies((answer) -> assertThat(answer.getStatus().value()).isEqualTo(404))
			.satisfies((answer) -> assertThat(answer.getResponseBody()).contains("unknown-page"));
	}

	/* The one thing that clients may ask. */
	@Test
	void howFarAnAbsentPeerIsBehindIsKnownWithoutIt() {
		clients.put().uri("/v0/entity?id=a&replicas=1/2").bodyValue("value").exchange().expectStatus().isCreated();
		await().until(() -> consistency().at("/peers/0/hints/count").asInt() == 1);
		JsonNode pair = consistency().at("/peers/0");
		assertThat(pair.get("peer").asString()).isEqualTo("n1");
		assertThat(pair.get("member").asString()).isEqualTo("disconnected");
		assertThat(pair.at("/comparison/ageSeconds").isNull()).isTrue();
		assertThat(pair.at("/comparison/led").asString()).isEqualTo("n0");
		assertThat(pair.at("/purge/withheldSeconds").asDouble()).isZero();
		assertThat(pair.at("/purge/reason").isNull()).isTrue();
		assertThat(consistency().at("/writes/missed").asInt()).isOne();
		assertThat(consistency().at("/writes/everywhere").asInt()).isZero();
		assertThat(consistency().get("rebuilding").asBoolean()).isFalse();
	}

	private static JsonNode consistency() {
		return JsonMapper.shared().readTree(get(clients, "/v0/consistency"));
	}

	/** The comparison that was asked for from a key on. */
	private static JsonNode progress(String start) {
		return JsonMapper.shared()
			.readTree(get(operators, "/actuator/repair"))
			.get("comparisons")
			.valueStream()
			.filter((each) -> each.get("start").asString("").equals(start))
			.findFirst()
			.orElseThrow();
	}

	private static String get(WebTestClient client, String path) {
		EntityExchangeResult<String> answer = client.get().uri(path).exchange().expectBody(String.class).returnResult();
		assertThat(answer.getStatus().value()).isEqualTo(200);
		return String.valueOf(answer.getResponseBody());
	}

	private static int status(WebTestClient.RequestHeadersSpec<?> request) {
		return request.exchange().expectBody().returnResult().getStatus().value();
	}

	private static String post(String json) {
		EntityExchangeResult<String> answer = operators.post()
			.uri("/actuator/repair")
			.contentType(MediaType.APPLICATION_JSON)
			.bodyValue(json)
			.exchange()
			.expectBody(String.class)
			.returnResult();
		return answer.getStatus().value() + " " + answer.getResponseBody();
	}

}
