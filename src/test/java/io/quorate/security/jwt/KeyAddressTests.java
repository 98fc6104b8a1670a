package io.quorate.security.jwt;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.quorate.Authority;
import io.quorate.Authority.Issued;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

/** Keys at an address, of a server that behaves and of one that does not. */
class KeyAddressTests {

	private static final byte[] KEYS = TestIssuer.published(TestIssuer.EC).getBytes(StandardCharsets.UTF_8);

	private static Issued issued;

	private static Issued stranger;

	private final CountDownLatch end = new CountDownLatch(1);

	private HttpsServer server;

	@BeforeAll
	static void issue(@TempDir Path home) throws Exception {
		issued = new Authority(home, "authority").issue("keys", "ip:127.0.0.1");
		stranger = new Authority(home, "stranger").issue("keys", "ip:127.0.0.1");
	}

	@BeforeEach
	void serve() throws Exception {
		this.server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.server.setHttpsConfigurator(new HttpsConfigurator(issued.bundle().createSslContext()));
		this.server.setExecutor((task) -> Thread.ofPlatform().daemon().start(task));
		serve("/keys", 200, KEYS);
		serve("/absent", 404, KEYS);
		serve("/moved", 302, KEYS);
		serve("/large", 200, new byte[IssuerKeys.MAX_BYTES + 1]);
		this.server.createContext("/hanging", (exchange) -> hang());
		this.server.createContext("/slow", (exchange) -> {
			exchange.sendResponseHeaders(200, KEYS.length);
			exchange.getResponseBody().write(KEYS, 0, 1);
			exchange.getResponseBody().flush();
			hang();
		});
		this.server.start();
	}

	private void serve(String path, int status, byte[] body) {
		this.server.createContext(path, (exchange) -> answer(exchange, status, body));
	}

	private static void answer(HttpExchange exchange, int status, byte[] body) throws IOException {
		exchange.getResponseHeaders().set("Location", "/keys");
		exchange.sendResponseHeaders(status, body.length);
		try (OutputStream out = exchange.getResponseBody()) {
			out.write(body);
		}
	}

	private void hang() {
		try {
			this.end.await();
		}
		catch (InterruptedException interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	@AfterEach
	void stop() {
		this.end.countDown();
		this.server.stop(0);
	}

	@Test
	void keysAreRead() throws Exception {
		assertThat(IssuerKeys.read(at("/keys", issued).content()).size()).isOne();
	}

	@Test
	void onlyAnAnswerWithKeysCounts() {
		assertThatIOException().isThrownBy(() -> at("/absent", issued).content()).withMessageContaining("404");
		assertThatIOException().isThrownBy(() -> at("/moved", issued).content()).withMessageContaining("302");
		assertThatIOException().isThrownBy(() -> at("/large", issued).content());
	}

	@Test
	void aServerThatIsNotTrustedIsNotAsked() {
		assertThatIOException().isThrownBy(() -> at("/keys", stranger).content())
			.withMessageContaining("SSLHandshakeException");
	}

	@Test
	void aServerThatHangsIsLeft() {
		for (String path : new String[] { "/hanging", "/slow" }) {
			assertThatIOException().isThrownBy(() -> at(path, issued, Duration.ofMillis(300)).content());
		}
	}

	private KeyAddress at(String path, Issued trusted) {
		return at(path, trusted, Duration.ofMinutes(1));
	}

	private KeyAddress at(String path, Issued trusted, Duration deadline) {
		return new KeyAddress(URI.create("https://127.0.0.1:%d%s".formatted(this.server.getAddress().getPort(), path)),
				() -> trusted.bundle().createSslContext(), deadline);
	}

}
