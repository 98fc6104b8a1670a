package io.quorate.api;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import javax.net.ssl.SSLContext;

import io.quorate.Authority.Issued;
import io.quorate.Authority;
import io.quorate.QuorateApplication;
import io.quorate.security.access.Token;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/** Certificates of clients as credentials, on a node with HTTPS and an access file. */
class CertificateAccessTests {

	private static final Token READER = Token.generate("reader");

	private static ConfigurableApplicationContext node;

	private static Authority authority;

	private static Issued payments;

	private static Issued unlisted;

	@BeforeAll
	static void start(@TempDir Path home) throws Exception {
		authority = new Authority(home, "authority");
		Issued served = authority.issue("node", "ip:127.0.0.1");
		payments = authority.issue("payments", "uri:spiffe://prod/payments");
		unlisted = authority.issue("unlisted", "uri:spiffe://prod/unlisted");
		Path access = Files.writeString(home.resolve("access.yml"), """
				principals:
				  payments: {certificates: ["uri:spiffe://prod/payments"], read: ["pay:"], write: ["pay:"]}
				  reader: {tokens: [{sha256: "%s"}], read: ["pay:"]}
				""".formatted(READER.sha256()));
		String pem = "--spring.ssl.bundle.pem.served.";
		node = new SpringApplication(QuorateApplication.class).run("--server.port=0",
				"--quorate.storage.directory=" + home.resolve("data"), "--quorate.security.access=" + access,
				"--server.ssl.bundle=served", "--server.ssl.client-auth=want",
				pem + "keystore.certificate=" + served.certificate(), pem + "keystore.private-key=" + served.key(),
				pem + "truststore.certificate=" + served.trusted());
	}

	@AfterAll
	static void stop() {
		node.close();
	}

	@Test
	void aCertificateThatIsListedHasTheRightsOfItsPrincipal() throws Exception {
		assertThat(put(payments, "pay:1", null)).isEqualTo(201);
		assertThat(put(payments, "pay", null)).isEqualTo(403);
	}

	@Test
	void aCertificateThatIsNotListedIsNone() throws Exception {
		assertThat(put(unlisted, "pay:1", null)).isEqualTo(401);
		assertThat(put(null, "pay:1", null)).isEqualTo(401);
	}

	@Test
	void aTokenDecidesAlone() throws Exception {
		assertThat(put(payments, "pay:1", READER)).as("a token without the right, beside a certificate with it")
			.isEqualTo(403);
		assertThat(put(unlisted, "pay:1", READER)).isEqualTo(403);
		assertThat(put(payments, "pay:1", Token.generate("payments"))).isEqualTo(401);
	}

	private static int put(@Nullable Issued shown, String key, @Nullable Token token) throws Exception {
		SSLContext context = SSLContext.getInstance("TLS");
		context.init((shown != null) ? shown.bundle().getManagers().getKeyManagers() : null,
				payments.bundle().getManagers().getTrustManagers(), null);
		try (HttpClient client = HttpClient.newBuilder().sslContext(context).build()) {
			int port = Integer.parseInt(node.getEnvironment().getRequiredProperty("local.server.port"));
			HttpRequest.Builder request = HttpRequest
				.newBuilder(URI.create("https://127.0.0.1:%d/v0/entity/%s".formatted(port, key)))
				.timeout(Duration.ofSeconds(30))
				.PUT(BodyPublishers.ofString("1"));
			if (token != null) {
				request.header("Authorization", "Bearer " + token.text());
			}
			return client.send(request.build(), BodyHandlers.discarding()).statusCode();
		}
	}

}
