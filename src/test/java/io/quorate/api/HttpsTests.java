package io.quorate.api;

import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;

import io.quorate.Authority.Issued;
import io.quorate.Authority;
import io.quorate.QuorateApplication;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** HTTPS on the port for clients, by Spring Boot's own properties. */
class HttpsTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static ConfigurableApplicationContext node;

	private static Issued issued;

	private static Path home;

	@BeforeAll
	static void start(@TempDir Path directory) throws Exception {
		home = directory;
		issued = new Authority(directory, "authority").issue("node", "ip:127.0.0.1");
		node = new SpringApplication(QuorateApplication.class).run("--server.port=0",
				"--quorate.storage.directory=" + directory.resolve("data"), "--server.ssl.bundle=clients",
				"--spring.ssl.bundle.pem.clients.keystore.certificate=" + issued.certificate(),
				"--spring.ssl.bundle.pem.clients.keystore.private-key=" + issued.key());
	}

	@AfterAll
	static void stop() {
		node.close();
	}

	private static HttpClient client(KeyStore trusted) throws Exception {
		TrustManagerFactory authorities = TrustManagerFactory.getInstance("PKIX");
		authorities.init(trusted);
		SSLContext context = SSLContext.getInstance("TLS");
		context.init(null, authorities.getTrustManagers(), null);
		return HttpClient.newBuilder()
			.version(HttpClient.Version.HTTP_1_1)
			.sslContext(context)
			.connectTimeout(PATIENCE)
			.build();
	}

	private static KeyStore trusted(Path certificate) throws Exception {
		KeyStore store = KeyStore.getInstance("PKCS12");
		store.load(null, null);
		try (InputStream from = Files.newInputStream(certificate)) {
			store.setCertificateEntry("authority", CertificateFactory.getInstance("X.509").generateCertificate(from));
		}
		return store;
	}

	private static HttpRequest.Builder request(String path) {
		return HttpRequest
			.newBuilder(
					URI.create("https://127.0.0.1:" + node.getEnvironment().getProperty("local.server.port") + path))
			.timeout(PATIENCE);
	}

	@Test
	void everythingIsServedEncrypted() throws Exception {
		HttpClient client = client(trusted(issued.trusted()));
		for (int size : new int[] { 0, 10, 3_000_000 }) {
			byte[] value = new byte[size];
			HttpResponse<Void> put = client.send(
					request("/v0/entity?id=key-" + size).PUT(BodyPublishers.ofByteArray(value)).build(),
					BodyHandlers.discarding());
			assertThat(put.statusCode()).isEqualTo(201);
			assertThat(client.send(request("/v0/entity?id=key-" + size).build(), BodyHandlers.ofByteArray()).body())
				.isEqualTo(value);
		}
		String range = client
			.send(request("/v0/entities?start=key-0&end=key-2").build(), BodyHandlers.ofString(StandardCharsets.UTF_8))
			.body();
		assertThat(range).contains("key-0\n", "key-10\n");
		assertThat(client.send(request("/nothing").build(), BodyHandlers.discarding()).statusCode()).isEqualTo(404);
	}

	@Test
	void aClientRefusesANodeThatItDoesNotTrust() throws Exception {
		KeyStore nobody = trusted(new Authority(home, "strangers").certificate());
		assertThatExceptionOfType(SSLException.class)
			.isThrownBy(() -> client(nobody).send(request("/v0/status").build(), BodyHandlers.discarding()));
	}

}
