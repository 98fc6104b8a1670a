package io.quorate.operations;

import java.util.Collection;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.quorate.SharedNode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.PropertySource;
import org.springframework.http.MediaType;
import org.springframework.test.web.reactive.server.EntityExchangeResult;
import org.springframework.test.web.reactive.server.WebTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A whole node in the profile for Kubernetes, but for its ports, which are any free ones.
 */
class ManagementServerTests {

	private static final Pattern OWN_TAGS = Pattern.compile("\\{.*\\bcluster=\"west\".*\\bnode=\"n7\"");

	private static WebTestClient clients;

	private static WebTestClient operators;

	@BeforeAll
	static void connect() {
		clients = WebClients.clients(SharedNode.POD.context());
		operators = WebClients.operators(SharedNode.POD.context());
	}

	@Test
	void theProfileOpensWhatAPodHasToOpen() {
		Map<String, String> expected = Map.of("server.address", "0.0.0.0", "quorate.internode.address", "0.0.0.0",
				"management.server.port", "8081", "quorate.operations.drain-delay", "10s");
		assertThat(expected).allSatisfy((name,
				value) -> assertThat(profile(SharedNode.POD.context().getEnvironment(), name)).hasToString(value));
	}

	private static @Nullable Object profile(ConfigurableEnvironment environment, String name) {
		return environment.getPropertySources()
			.stream()
			.filter((source) -> source.getName().contains("application-kubernetes"))
			.map((PropertySource<?> source) -> source.getProperty(name))
			.findFirst()
			.orElse(null);
	}

	@Test
	void theProtocolIsOnOnePortAndTheEndpointsOnTheOther() {
		assertThat(get(clients, "/v0/status")).contains("200", "\"n7\"", "\"ready\"");
		assertThat(get(operators, "/actuator/health")).contains("200", "\"UP\"");
		assertThat(get(operators, "/actuator/health/liveness")).contains("200", "\"UP\"");
		assertThat(get(operators, "/actuator/health/readiness")).contains("200", "\"UP\"");
		assertThat(get(operators, "/actuator/info")).contains("200");
		assertThat(get(operators, "/v0/status")).contains("404").doesNotContain("urn:quorate:problem");
		for (String path : new String[] { "/actuator", "/actuator/health", "/actuator/prometheus", "/actuator/x" }) {
			assertThat(get(clients, path)).as(path).contains("404", "urn:quorate:problem:unknown-page");
		}
	}

	@Test
	void errorsOfTheEndpointsAreSpringBootsOwn() {
		for (String path : new String[] { "/actuator/env", "/actuator/beans", "/actuator/heapdump", "/nothing" }) {
			assertThat(get(operators, path)).as(path)
				.contains("404", "\"path\":\"" + path + "\"")
				.doesNotContain("urn:quorate:problem");
		}
	}

	@Test
	void nothingIsExposedButWhatIsMeant() {
		assertThat(get(operators, "/actuator"))
			.contains("/actuator/health\"", "/actuator/info\"", "/actuator/prometheus\"", "/actuator/health/{*path}\"",
					"/actuator/digest\"", "/actuator/access\"", "/actuator/recovery/{command}\"", "/actuator/repair\"",
					"/actuator/backup\"", "/actuator/scrub\"", "/actuator/upgrade\"", "/actuator/upgrade/{command}\"",
					"/actuator/cluster\"", "/actuator/cluster/{command}\"")
			.satisfies((links) -> assertThat(links.split("\"href\"", -1)).hasSize(17));
	}

	@Test
	void anOperatorSeesTheLayoutAndIsRefusedAChangeOfAnother() {
		assertThat(get(operators, "/actuator/cluster"))
			.contains("200", "\"members\":{\"n7\":{\"state\":\"up\",\"partitions\":16384,\"adopted\":")
			.doesNotContain("\"change\"");
		assertThat(get(operators, "/actuator/prometheus")).contains("quorate_layout_version{", "quorate_layout_joint{",
				"quorate_move_bytes_total{", "quorate_move_progress_ratio{");
		operators.post()
			.uri("/actuator/cluster/add")
			.contentType(MediaType.APPLICATION_JSON)
			.bodyValue("{\"version\":99,\"member\":\"n8@127.0.0.1:7108\",\"dryRun\":true}")
			.exchange()
			.expectStatus()
			.isEqualTo(409)
			.expectBody(String.class)
			.value((body) -> assertThat(body).contains("the layout has version", "not 99"));
	}

	@Test
	void theDigestIsOfAllThatTheNodeHolds() {
		clients.delete().uri("/v0/entity?id=digest").exchange().expectStatus().isAccepted().expectBody();
		String before = get(operators, "/actuator/digest");
		assertThat(before)
			.containsPattern("^200 OK \\{\"entries\":\\d+,\"tombstones\":\\d+,\"digest\":\"[0-9a-f]{16}\"}$");
		assertThat(get(operators, "/actuator/digest")).isEqualTo(before);
		clients.put().uri("/v0/entity?id=digest").bodyValue("held").exchange().expectStatus().isCreated().expectBody();
		assertThat(get(operators, "/actuator/digest")).isNotEqualTo(before);
		assertThat(get(operators, "/actuator/digest?peer=nobody")).contains("400");
	}

	@Test
	void peopleOnCallSeeDetailsWhereClientsSeeNone() {
		assertThat(get(operators, "/actuator/health")).contains("\"members\":{\"n7\":\"up\"}", "clockOffsetMillis",
				"\"log\":\"works\"", "diskFreeBytes");
		for (String path : new String[] { "/livez", "/readyz" }) {
			assertThat(get(clients, path)).as(path).isEqualTo("200 OK {\"status\":\"UP\"}");
		}
	}

	@Test
	void theEndpointsHaveAnEventLoopToThemselves() {
		get(operators, "/actuator/health/liveness");
		// No other node of this process has a port for operators, but while its test
		// lasts.
		assertThat(Thread.getAllStackTraces().keySet().stream().map(Thread::getName))
			.anyMatch((name) -> name.startsWith("management-"));
	}

	@Test
	void everySeriesSaysWhoseItIs() {
		assertThat(get(operators, "/actuator/prometheus").lines().skip(1).filter((line) -> !line.startsWith("#")))
			.hasSizeGreaterThan(100)
			.allMatch((line) -> OWN_TAGS.matcher(line).find());
	}

	@Test
	void onlyWhatIsWantedIsMeasured() {
		clients.get().uri("/v0/entity?id=a").exchange().expectBody();
		assertThat(get(operators, "/actuator/prometheus").lines()
			.filter((line) -> line.startsWith("# HELP"))
			.map((line) -> line.split("[ _]", -1)[2])
			.collect(Collectors.toSet())).containsOnly("quorate", "jvm", "process", "system", "logback");
	}

	@Test
	void aRequestOnTheManagementPortIsNoClientRequest() {
		long before = deletions();
		EntityExchangeResult<byte[]> answer = operators.delete()
			.uri("/v0/entity?id=a")
			.exchange()
			.expectBody()
			.returnResult();
		assertThat(answer.getStatus().value()).isEqualTo(404);
		assertThat(answer.getResponseHeaders().containsHeader("Server-Timing")).isFalse();
		assertThat(deletions()).isEqualTo(before);
	}

	private static long deletions() {
		Collection<Timer> timers = SharedNode.POD.context()
			.getBean(MeterRegistry.class)
			.get("quorate.request")
			.tags("operation", "delete")
			.timers();
		return timers.stream().mapToLong(Timer::count).sum();
	}

	@Test
	void theNodeAsAWholeIsInItsMeters() {
		Map<String, String> samples = get(operators, "/actuator/prometheus").lines()
			.filter((line) -> line.startsWith("quorate_"))
			.collect(Collectors.toMap((line) -> line.replaceFirst("[{ ].*", ""), (line) -> line.replaceFirst(".* ", ""),
					(first, _) -> first));
		assertThat(samples).containsEntry("quorate_ready", "1.0")
			.containsEntry("quorate_live", "1.0")
			.containsEntry("quorate_info", "1");
		assertThat(Double.parseDouble(samples.getOrDefault("quorate_start_seconds", ""))).isPositive();
		assertThat(Double.parseDouble(samples.getOrDefault("quorate_direct_memory_bytes", ""))).isPositive();
	}

	private static String get(WebTestClient client, String path) {
		EntityExchangeResult<String> answer = client.get().uri(path).exchange().expectBody(String.class).returnResult();
		return answer.getStatus() + " " + answer.getResponseBody();
	}

}
