package io.quorate.security.jwt;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.RSAKey;
import io.quorate.QuorateApplication;
import io.quorate.clock.TimeSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.awaitility.Awaitility.await;

/** A whole node with an issuer of JSON web tokens, whose keys are in a file. */
class JwtNodeTests {

	private static final HttpClient CLIENT = HttpClient.newHttpClient();

	private static final RSAKey STAYS = TestIssuer.rsa("stays");

	private static ConfigurableApplicationContext node;

	private static Path home;

	private static Path keys;

	@BeforeAll
	static void start(@TempDir Path directory) throws Exception {
		home = directory;
		keys = Files.writeString(home.resolve("jwks.json"), TestIssuer.published(TestIssuer.RSA, STAYS));
		Files.writeString(home.resolve("access.yml"), """
				principals:
				  payments: {jwt: ["payments"], read: ["pay:"]}
				  watcher: {jwt: ["watcher"], metrics: true}
				  ops: {jwt: ["ops"], metrics: true, admin: true}
				""");
		node = node(keys, "data");
	}

	private static ConfigurableApplicationContext node(Path keys, String data) {
		return new SpringApplication(QuorateApplication.class).run("--server.port=0", "--management.server.port=",
				"--quorate.storage.directory=" + home.resolve(data),
				"--quorate.security.access=" + home.resolve("access.yml"),
				"--quorate.security.jwt.issuer=" + TestIssuer.ISSUER, "--quorate.security.jwt.jwk-set-file=" + keys);
	}

	@AfterAll
	static void stop() {
		node.close();
	}

	@Test
	void keysAreReplacedWhileTheNodeRuns() throws Exception {
		assertThat(get("/v0/entity/pay:1", TestIssuer.RSA, "payments").statusCode()).isEqualTo(404);
		assertThat(get("/v0/entity/pay", TestIssuer.RSA, "payments").statusCode()).isEqualTo(403);
		RSAKey later = TestIssuer.rsa("later");
		assertThat(get("/v0/entity/pay:1", later, "payments").statusCode()).isEqualTo(401);
		Path next = Files.writeString(home.resolve("next"), TestIssuer.published(later, STAYS));
		Files.move(next, keys, StandardCopyOption.ATOMIC_MOVE);
		await().atMost(Duration.ofSeconds(20))
			.until(() -> get("/v0/entity/pay:1", later, "payments").statusCode() == 404);
		assertThat(get("/v0/entity/pay:1", TestIssuer.RSA, "payments").statusCode()).as("a key that is gone")
			.isEqualTo(401);
		HttpResponse<String> access = get("/actuator/access", later, "ops");
		assertThat(access.body())
			.contains("\"issuers\":[{\"issuer\":\"%s\",\"audience\":\"quorate\",\"keys\":2,\"valid\":true}]"
				.formatted(TestIssuer.ISSUER))
			.contains("\"jwt\":[\"payments\"]")
			.doesNotContain(later.getModulus().toString())
			.doesNotContain("later");
		assertThat(get("/actuator/prometheus", later, "ops").body())
			.containsPattern("quorate_security_jwt_keys_valid\\{[^}]*} 1\\.0")
			.containsPattern("quorate_security_requests_total\\{[^}]*credential=\"jwt\"[^}]*outcome=\"served\"");
	}

	/* Each that is exposed, also by a later version of Spring Boot. */
	@Test
	void everyEndpointNeedsARight() throws Exception {
		String links = get("/actuator", STAYS, "ops").body();
		List<String> paths = Pattern.compile("\"href\":\"http://[^/]+([^\"?]+)")
			.matcher(links)
			.results()
			.map((link) -> link.group(1).replaceAll("\\{[^}]*}", "x"))
			.distinct()
			.toList();
		assertThat(paths).contains("/actuator/backup", "/actuator/access", "/actuator/prometheus");
		for (String path : paths) {
			boolean isForMetrics = Set.of("prometheus", "info", "health", "cluster")
				.contains(path.replace("/actuator/", ""));
			// The second when there were ten in this second.
			assertThat(status(path)).as(path).isIn(401, 429);
			assertThat(get(path, STAYS, "payments").statusCode()).as(path).isEqualTo(403);
			assertThat(get(path, STAYS, "watcher").statusCode() == 403).as(path).isNotEqualTo(isForMetrics);
		}
	}

	private static int status(String path) throws Exception {
		return CLIENT.send(request(path).build(), BodyHandlers.discarding()).statusCode();
	}

	@Test
	void aNodeWithoutKeysDoesNotStart() {
		assertThatException().isThrownBy(() -> node(home.resolve("absent"), "other").close())
			.havingRootCause()
			.isInstanceOf(JwtKeysException.class)
			.withMessageContaining("cannot be read");
	}

	private static HttpResponse<String> get(String path, JWK key, String subject) throws Exception {
		String token = TestIssuer.token(key, Instant.ofEpochMilli(TimeSource.SYSTEM.millis()),
				(claims) -> claims.subject(subject));
		return CLIENT.send(request(path).header("Authorization", "Bearer " + token).build(), BodyHandlers.ofString());
	}

	private static HttpRequest.Builder request(String path) {
		int port = Integer.parseInt(node.getEnvironment().getRequiredProperty("local.server.port"));
		return HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(port, path)))
			.timeout(Duration.ofSeconds(30));
	}

}
