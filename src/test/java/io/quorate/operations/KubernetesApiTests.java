package io.quorate.operations;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import javax.net.ssl.SSLContext;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.quorate.Authority;
import io.quorate.Authority.Issued;
import io.quorate.operations.StatefulSetScale.Known;
import io.quorate.operations.StatefulSetScale.Unknown;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Answers of a server that stands for that of Kubernetes. */
class KubernetesApiTests {

	@TempDir
	private Path credentials;

	private final Queue<String> asked = new ConcurrentLinkedQueue<>();

	private Duration limit = Duration.ofMinutes(1);

	private Duration patience = Duration.ZERO;

	private volatile int status = 200;

	private String body = "{\"spec\":{\"replicas\":3}}";

	/* Answers with another status before the one that is in order. */
	private int failures = -1;

	private @Nullable HttpServer server;

	@BeforeEach
	void mount() throws IOException {
		Files.writeString(this.credentials.resolve("token"), "abc.def\n");
		Files.writeString(this.credentials.resolve("namespace"), "orders");
	}

	@AfterEach
	void stop() {
		if (this.server != null) {
			this.server.stop(0);
		}
	}

	private static InetSocketAddress anyPort() {
		return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
	}

	private URI serve(HttpServer starting, String scheme) {
		starting.createContext("/", this::answer);
		starting.start();
		this.server = starting;
		return URI.create("%s://127.0.0.1:%d".formatted(scheme, starting.getAddress().getPort()));
	}

	private void answer(HttpExchange exchange) throws IOException {
		if (this.asked.size() == this.failures) {
			this.status = 200;
		}
		this.asked.add("%s %s %s".formatted(exchange.getRequestMethod(), exchange.getRequestURI(),
				exchange.getRequestHeaders().getFirst("Authorization")));
		byte[] bytes = this.body.getBytes(StandardCharsets.UTF_8);
		exchange.sendResponseHeaders(this.status, (bytes.length > 0) ? bytes.length : -1);
		exchange.getResponseBody().write(bytes);
		exchange.close();
	}

	private StatefulSetScale ask() throws IOException {
		return ask(serve(HttpServer.create(anyPort(), 0), "http"));
	}

	private StatefulSetScale ask(URI address) {
		return new KubernetesApi(address, this.credentials, this.limit, this.patience, Duration.ofMillis(10))
			.scaleOf("quorate");
	}

	private static String why(StatefulSetScale scale) {
		assertThat(scale).isInstanceOf(Unknown.class);
		return ((Unknown) scale).why();
	}

	@Test
	void theApiServerIsAskedForTheOwnStatefulSetAlone() throws IOException {
		assertThat(ask()).isEqualTo(new Known(0, 3));
		assertThat(this.asked)
			.containsExactly("GET /apis/apps/v1/namespaces/orders/statefulsets/quorate Bearer abc.def");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			{"spec":{"replicas":0}}                                             | 0 | 0
			{"spec":{"replicas":5,"ordinals":{"start":2}},"status":{"replicas":7}} | 2 | 5
			{"metadata":{"name":"quorate"},"spec":{"replicas":4,"ordinals":{}}} | 0 | 4
			""")
	void theNumberOfPodsIsThatOfTheSpecification(String said, int start, int replicas) throws IOException {
		this.body = said;
		assertThat(ask()).isEqualTo(new Known(start, replicas));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "{", "[]", "{\"spec\":{}}", "{\"spec\":{\"replicas\":\"3\"}}",
			"{\"spec\":{\"replicas\":-1}}", "{\"spec\":{\"replicas\":3,\"ordinals\":{\"start\":\"1\"}}}" })
	void anAnswerThatIsNotUnderstoodSaysNothing(String said) throws IOException {
		this.body = said;
		assertThat(why(ask())).isNotEmpty();
	}

	@Test
	void aStatefulSetThatIsBeingDeletedSaysNothing() throws IOException {
		this.body = "{\"metadata\":{\"deletionTimestamp\":\"2026-11-26T08:00:00Z\"},\"spec\":{\"replicas\":3}}";
		assertThat(ask()).isEqualTo(new Unknown("the StatefulSet is being deleted", true));
	}

	@ParameterizedTest
	@ValueSource(ints = { 401, 403, 404, 500, 302 })
	void aRefusalSaysNothing(int answered) throws IOException {
		this.status = answered;
		assertThat(why(ask())).isEqualTo("it answers %d".formatted(answered));
	}

	@Test
	void aServerThatFailsForAWhileIsAskedAgain() throws IOException {
		this.patience = Duration.ofMinutes(1);
		this.status = 503;
		this.failures = 2;
		assertThat(ask()).isEqualTo(new Known(0, 3));
		assertThat(this.asked).hasSize(3);
	}

	@Test
	void aServerThatFailsForLongIsNotAskedForEver() throws IOException {
		this.patience = Duration.ofMillis(100);
		this.status = 503;
		assertThat(ask()).isEqualTo(new Unknown("it answers 503", false));
		assertThat(this.asked).isNotEmpty();
	}

	@ParameterizedTest
	@ValueSource(ints = { 403, 404 })
	void aServerThatRefusesIsAskedOnce(int answered) throws IOException {
		this.patience = Duration.ofMinutes(1);
		this.status = answered;
		assertThat(ask()).isEqualTo(new Unknown("it answers %d".formatted(answered), true));
		assertThat(this.asked).hasSize(1);
	}

	@Test
	void anAnswerThatIsTooLongSaysNothing() throws IOException {
		this.body = " ".repeat(2 * 1024 * 1024) + this.body;
		assertThat(why(ask())).isNotEmpty();
	}

	@Test
	void aServerThatIsSilentOrAwaySaysNothing() throws IOException {
		int port;
		try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			port = silent.getLocalPort();
			this.limit = Duration.ofMillis(300);
			assertThat(why(ask(URI.create("http://127.0.0.1:" + port)))).isNotEmpty();
		}
		this.limit = Duration.ofMinutes(1);
		assertThat(why(ask(URI.create("http://127.0.0.1:" + port)))).contains("Connect");
	}

	@ParameterizedTest
	@ValueSource(strings = { "token", "namespace" })
	void aPodWithoutCredentialsAsksNothing(String missing) throws IOException {
		Files.delete(this.credentials.resolve(missing));
		assertThat(why(ask())).contains(missing);
		Files.writeString(this.credentials.resolve("token"), "two\nlines");
		Files.writeString(this.credentials.resolve("namespace"), "../../x");
		assertThat(why(ask(URI.create("http://127.0.0.1:1")))).isNotEmpty();
		assertThat(this.asked).isEmpty();
	}

	@Test
	void theApiServerIsTrustedByTheMountedAuthorityAlone(@TempDir Path directory) throws Exception {
		Authority authority = new Authority(directory, "kubernetes");
		Issued api = authority.issue("api", "ip:127.0.0.1");
		SSLContext context = api.bundle().createSslContext();
		HttpsServer encrypted = HttpsServer.create(anyPort(), 0);
		encrypted.setHttpsConfigurator(new HttpsConfigurator(context));
		URI address = serve(encrypted, "https");
		Files.copy(authority.certificate(), this.credentials.resolve("ca.crt"));
		assertThat(ask(address)).isEqualTo(new Known(0, 3));
		assertThat(why(ask(URI.create(address.toString().replace("127.0.0.1", "localhost"))))).as("another host")
			.contains("SSLHandshakeException");
		Files.delete(this.credentials.resolve("ca.crt"));
		Files.copy(new Authority(directory, "strangers").certificate(), this.credentials.resolve("ca.crt"));
		assertThat(why(ask(address))).contains("SSLHandshakeException");
		Files.delete(this.credentials.resolve("ca.crt"));
		assertThat(why(ask(address))).contains("ca.crt");
		assertThat(this.asked).hasSize(1);
	}

}
