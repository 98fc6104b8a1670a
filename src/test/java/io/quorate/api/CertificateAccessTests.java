package io.quorate.api;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

import javax.net.ssl.KeyManager;

import io.quorate.Authority.Issued;
import io.quorate.GuardedNode;
import io.quorate.security.access.Token;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Certificates of clients as credentials, on the guarded node, under the key
 * {@code pay:1}.
 */
class CertificateAccessTests {

	private static Issued payments;

	private static Issued unlisted;

	@BeforeAll
	static void issue() throws Exception {
		payments = GuardedNode.authority().issue("payments", "uri:spiffe://prod/payments");
		unlisted = GuardedNode.authority().issue("unlisted", "uri:spiffe://prod/unlisted");
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
		assertThat(put(payments, "pay:1", GuardedNode.READER))
			.as("a token without the right, beside a certificate with it")
			.isEqualTo(403);
		assertThat(put(unlisted, "pay:1", GuardedNode.READER)).isEqualTo(403);
		assertThat(put(payments, "pay:1", Token.generate("payments"))).isEqualTo(401);
	}

	private static int put(@Nullable Issued shown, String key, @Nullable Token token) throws Exception {
		KeyManager[] keys = (shown != null) ? shown.bundle().getManagers().getKeyManagers() : new KeyManager[0];
		try (HttpClient client = HttpClient.newBuilder().sslContext(GuardedNode.tls(keys)).build()) {
			HttpRequest.Builder request = HttpRequest
				.newBuilder(URI.create(GuardedNode.url("127.0.0.1") + "/v0/entity/" + key))
				.timeout(Duration.ofMinutes(1))
				.PUT(BodyPublishers.ofString("1"));
			if (token != null) {
				request.header("Authorization", "Bearer " + token.text());
			}
			return client.send(request.build(), BodyHandlers.discarding()).statusCode();
		}
	}

}
