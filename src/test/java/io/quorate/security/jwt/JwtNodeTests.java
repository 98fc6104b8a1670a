package io.quorate.security.jwt;

import java.io.IOException;
import java.net.InetAddress;
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
import io.quorate.GuardedNode;
import io.quorate.QuorateApplication;
import io.quorate.clock.TimeSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.awaitility.Awaitility.await;

/** The issuer of JSON web tokens of the guarded node, whose keys are in a file. */
class JwtNodeTests {

	/*
	 * An endpoint after the other refuses it, and no other test is to be refused for
	 * that.
	 */
	private static final InetAddress OWN_ADDRESS = InetAddress.ofLiteral("127.0.0.9");

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private static HttpClient client = HttpClient.newHttpClient();

	@TempDir
	private static Path home;

	@BeforeAll
	static void connect() throws Exception {
		client = HttpClient.newBuilder().sslContext(GuardedNode.tls()).localAddress(OWN_ADDRESS).build();
	}

	@AfterAll
	static void disconnect() {
		client.close();
	}

	@Test
	void keysAreReplacedWhileTheNodeRuns() throws Exception {
		assertThat(get("/v0/entity/pay:2", TestIssuer.EC, "payments").statusCode()).isEqualTo(404);
		assertThat(get("/v0/entity/pay", TestIssuer.EC, "payments").statusCode()).isEqualTo(403);
		RSAKey later = TestIssuer.rsa("later");
		assertThat(get("/v0/entity/pay:2", later, "payments").statusCode()).isEqualTo(401);
		publish(TestIssuer.published(TestIssuer.RSA, later));
		try {
			requireReplaced(later);
		}
		finally {
			publish(TestIssuer.keys());
		}
	}

	private static void publish(String keys) throws IOException {
		Path next = Files.writeString(home.resolve("next"), keys);
		Files.move(next, GuardedNode.jwtKeys(), StandardCopyOption.ATOMIC_MOVE);
	}

	private static void requireReplaced(RSAKey later) throws Exception {
		await().until(() -> get("/v0/entity/pay:2", later, "payments").statusCode() == 404);
		assertThat(get("/v0/entity/pay:2", TestIssuer.EC, "payments").statusCode()).as("a key that is gone")
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
		String links = get("/actuator", TestIssuer.RSA, "ops").body();
		List<String> paths = Pattern.compile("\"href\":\"https://[^/]+([^\"?]+)")
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
			assertThat(get(path, TestIssuer.RSA, "payments").statusCode()).as(path).isEqualTo(403);
			assertThat(get(path, TestIssuer.RSA, "watcher").statusCode() == 403).as(path).isNotEqualTo(isForMetrics);
		}
	}

	private static int status(String path) throws Exception {
		return client.send(request(path).build(), BodyHandlers.discarding()).statusCode();
	}

	@Test
	void aNodeWithoutKeysDoesNotStart() {
		assertThatException()
			.isThrownBy(() -> new SpringApplication(QuorateApplication.class)
				.run("--server.port=0", "--quorate.storage.directory=" + home.resolve("data"),
						"--quorate.security.access=" + GuardedNode.access(),
						"--quorate.security.jwt.issuer=" + TestIssuer.ISSUER,
						"--quorate.security.jwt.jwk-set-file=" + home.resolve("absent"))
				.close())
			.havingRootCause()
			.isInstanceOf(JwtKeysException.class)
			.withMessageContaining("cannot be read");
	}

	private static HttpResponse<String> get(String path, JWK key, String subject) throws Exception {
		String token = TestIssuer.token(key, Instant.ofEpochMilli(TimeSource.SYSTEM.millis()),
				(claims) -> claims.subject(subject));
		return client.send(request(path).header("Authorization", "Bearer " + token).build(), BodyHandlers.ofString());
	}

	private static HttpRequest.Builder request(String path) {
		return HttpRequest.newBuilder(URI.create(GuardedNode.url("127.0.0.1") + path)).timeout(PATIENCE);
	}

}
