package io.quorate.api;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.Authority.Issued;
import io.quorate.Authority;
import io.quorate.InsistentKeys;
import io.quorate.QuorateApplication;
import io.quorate.api.transport.ClientCertificate;
import io.quorate.clock.TimeSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.web.server.WebFilter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** HTTPS on both ports for HTTP, by Spring Boot's own properties. */
@ExtendWith(OutputCaptureExtension.class)
class HttpsTests {

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private static final String STATUS = "GET /v0/status HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";

	private static final String LAST_STATUS = STATUS.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");

	private static final Duration LIFETIME = Duration.ofSeconds(2);

	private static ConfigurableApplicationContext node;

	private static Authority authority;

	private static Issued served;

	private static Issued client;

	private static Map<String, Issued> refused;

	@BeforeAll
	static void start(@TempDir Path home) throws Exception {
		authority = new Authority(home, "authority");
		served = authority.issue("node", "ip:127.0.0.1").copyTo(home.resolve("served"));
		client = authority.issue("client", "dns:Payments.shop.svc,uri:spiffe://prod/payments");
		String names = "dns:payments.shop.svc";
		refused = Map.of("of another authority", new Authority(home, "strangers").issue("stranger", names), "expired",
				authority.issue("expired", names, "-3d"), "not valid yet", authority.issue("early", names, "+1d"));
		String pem = "--spring.ssl.bundle.pem.served.";
		node = new SpringApplication(QuorateApplication.class, Names.class).run("--server.port=0",
				"--management.server.port=0", "--quorate.api.connection-lifetime=" + LIFETIME.toSeconds() + "s",
				"--quorate.storage.directory=" + home.resolve("data"), "--server.ssl.bundle=served",
				"--server.ssl.client-auth=want", "--management.server.ssl.bundle=served",
				"--spring.ssl.bundle.watch.file.quiet-period=200ms", pem + "reload-on-update=true",
				pem + "keystore.verify-keys=true", pem + "keystore.certificate=" + served.certificate(),
				pem + "keystore.private-key=" + served.key(), pem + "truststore.certificate=" + served.trusted());
	}

	@AfterAll
	static void stop() {
		node.close();
	}

	/** A context that trusts the node, and shows these keys. */
	private static SSLContext tls(KeyManager... keys) throws Exception {
		SSLContext context = SSLContext.getInstance("TLS");
		context.init(keys, client.bundle().getManagers().getTrustManagers(), null);
		return context;
	}

	private static HttpClient http(KeyManager... keys) throws Exception {
		return HttpClient.newBuilder()
			.version(HttpClient.Version.HTTP_1_1)
			.sslContext(tls(keys))
			.connectTimeout(PATIENCE)
			.build();
	}

	private static int port(String name) {
		return Integer.parseInt(node.getEnvironment().getRequiredProperty(name));
	}

	private static int port() {
		return port("local.server.port");
	}

	private static HttpRequest.Builder request(int port, String path) {
		return HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + port + path)).timeout(PATIENCE);
	}

	private static HttpRequest.Builder request(String path) {
		return request(port(), path);
	}

	private static double handshakes(String outcome) {
		return node.getBean(MeterRegistry.class)
			.get("quorate.tls.handshakes")
			.tags("port", "clients", "outcome", outcome)
			.counter()
			.count();
	}

	private static Socket connect(@Nullable SSLContext context) throws IOException {
		Socket socket = (context != null)
				? context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port())
				: new Socket(InetAddress.getLoopbackAddress(), port());
		socket.setSoTimeout((int) PATIENCE.toMillis());
		return socket;
	}

	private static void send(Socket socket, String text) throws IOException {
		OutputStream out = socket.getOutputStream();
		out.write(text.getBytes(StandardCharsets.US_ASCII));
		out.flush();
	}

	private static String toTheEnd(Socket socket) throws IOException {
		return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
	}

	@Test
	void everythingIsServedEncrypted() throws Exception {
		HttpClient http = http();
		for (int size : new int[] { 0, 10, 3_000_000 }) {
			byte[] value = new byte[size];
			HttpResponse<Void> put = http.send(
					request("/v0/entity?id=key-" + size).PUT(BodyPublishers.ofByteArray(value)).build(),
					BodyHandlers.discarding());
			assertThat(put.statusCode()).isEqualTo(201);
			assertThat(http.send(request("/v0/entity?id=key-" + size).build(), BodyHandlers.ofByteArray()).body())
				.isEqualTo(value);
		}
		String range = http
			.send(request("/v0/entities?start=key-0&end=key-2").build(), BodyHandlers.ofString(StandardCharsets.UTF_8))
			.body();
		assertThat(range).contains("\"key\":\"key-0\"", "\"key\":\"key-10\"");
		HttpResponse<Void> nothing = http.send(request("/nothing").build(), BodyHandlers.discarding());
		assertThat(nothing.statusCode()).isEqualTo(404);
		assertThat(nothing.headers().firstValue("names")).hasValue("[]");
		assertThat(handshakes("completed")).isPositive();
	}

	/*
	 * Garbage fails as its handshake begins. Were the next one begun within that end, a
	 * queue of it would fill the stack of the event loop, and lose places for good.
	 */
	@Test
	void manyHandshakesThatFailAtOnceTakeNoPlaceForGood() throws Exception {
		List<Socket> sockets = new ArrayList<>();
		try {
			for (int i = 0; i < 1_500; i++) {
				sockets.add(connect(null));
				byte[] sent = (i < 16) ? new byte[] { 0x16, 3, 1, 0, 80 } : new byte[] { 0x16, 0, 0, 0, 0 };
				sockets.getLast().getOutputStream().write(sent);
			}
			closeAll(sockets.subList(0, 16));
			HttpResponse<Void> served = http().send(request("/v0/status").build(), BodyHandlers.discarding());
			assertThat(served.statusCode()).isEqualTo(200);
			for (Socket socket : sockets.subList(16, sockets.size())) {
				assertThat(toTheEnd(socket)).as("each is refused").isNotNull();
			}
		}
		finally {
			closeAll(sockets);
		}
	}

	private static void closeAll(List<Socket> sockets) throws IOException {
		for (Socket socket : sockets) {
			socket.close();
		}
	}

	@Test
	void aClientRefusesANodeThatItDoesNotTrust() {
		assertThatExceptionOfType(SSLException.class).isThrownBy(
				() -> HttpClient.newHttpClient().send(request("/v0/status").build(), BodyHandlers.discarding()));
	}

	@Test
	void namesInTheCertificateOfAClientAreThoseOfItsRequests() throws Exception {
		HttpClient http = http(client.bundle().getManagers().getKeyManagers());
		for (int i = 0; i < 3; i++) {
			HttpResponse<Void> answer = http.send(request("/v0/status").build(), BodyHandlers.discarding());
			assertThat(answer.headers().firstValue("names"))
				.hasValue("[dns:payments.shop.svc, uri:spiffe://prod/payments]");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "of another authority", "expired", "not valid yet" })
	void certificateThatIsNotValidIsRefused(String mistake, CapturedOutput output) throws Exception {
		double before = handshakes("failed");
		try (Socket socket = connect(tls(new InsistentKeys(certificate(mistake).bundle())))) {
			assertThatExceptionOfType(IOException.class).isThrownBy(() -> {
				send(socket, STATUS);
				throw new IOException(toTheEnd(socket));
			}).withMessageNotContaining("HTTP");
		}
		await().untilAsserted(() -> assertThat(handshakes("failed")).isGreaterThan(before));
		assertThat(output).contains("A connection from 127.0.0.1 is refused: TLS: ");
	}

	private static Issued certificate(String mistake) {
		return Objects.requireNonNull(refused.get(mistake));
	}

	private static boolean isServed(SSLContext context, int times) {
		boolean served = true;
		for (int i = 0; i < times && served; i++) {
			try (Socket socket = connect(context)) {
				send(socket, LAST_STATUS);
				served = toTheEnd(socket).startsWith("HTTP/1.1 200 OK");
			}
			catch (IOException refusal) {
				served = false;
			}
		}
		return served;
	}

	/* A session that is resumed skips the check of its certificate. */
	@Test
	void sessionOutlivesNoCertificateOfItsClient(CapturedOutput output) throws Exception {
		Issued brief;
		SSLContext context;
		int seconds = 6;
		do {
			seconds *= 2;
			assertThat(seconds).isLessThan(60);
			brief = authority.issue("brief-" + seconds, "dns:payments.shop.svc", "-2d+" + seconds + "S");
			context = tls(brief.bundle().getManagers().getKeyManagers());
		}
		while (!isServed(context, 2));
		double failed = handshakes("failed");
		X509Certificate certificate = (X509Certificate) Objects.requireNonNull(brief.bundle().getStores().getKeyStore())
			.getCertificate("ssl");
		await().until(
				() -> Instant.ofEpochMilli(TimeSource.SYSTEM.millis()).isAfter(certificate.getNotAfter().toInstant()));
		try (Socket socket = connect(context)) {
			send(socket, STATUS);
			assertThat(toTheEnd(socket)).isEmpty();
		}
		catch (IOException refusal) {
			assertThat(refusal).isInstanceOfAny(SSLException.class, SocketException.class);
		}
		await().untilAsserted(() -> assertThat(handshakes("failed")).isGreaterThan(failed));
		assertThat(output.getAll()).contains("the certificate of the client has expired");
	}

	@Test
	void oldVersionsOfTlsAreRefused(CapturedOutput output) throws Exception {
		double before = handshakes("failed");
		try (Socket socket = connect(null)) {
			socket.getOutputStream().write(Authority.helloOfTls11());
			// An alert of level 2, protocol_version.
			assertThat(socket.getInputStream().readAllBytes()).endsWith((byte) 2, (byte) 70);
		}
		await().untilAsserted(() -> assertThat(handshakes("failed")).isGreaterThan(before));
		assertThat(output).contains("A connection from 127.0.0.1 is refused: TLS: ");
	}

	@ParameterizedTest
	@ValueSource(strings = { "TLSv1.3 TLS_AES_128_GCM_SHA256", "TLSv1.2 TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
			"TLSv1.2 TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384" })
	void goodProtocolsAndCiphersAreServed(String both) throws Exception {
		try (SSLSocket socket = (SSLSocket) connect(tls())) {
			socket.setEnabledProtocols(new String[] { both.split(" ", -1)[0] });
			socket.setEnabledCipherSuites(new String[] { both.split(" ", -1)[1] });
			socket.startHandshake();
			assertThat(socket.getSession().getProtocol() + " " + socket.getSession().getCipherSuite()).isEqualTo(both);
		}
	}

	@Test
	void ciphersWithoutAuthenticatedEncryptionAreRefused(CapturedOutput output) throws Exception {
		try (SSLSocket socket = (SSLSocket) connect(tls())) {
			socket.setEnabledProtocols(new String[] { "TLSv1.2" });
			socket.setEnabledCipherSuites(new String[] { "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256" });
			assertThatExceptionOfType(SSLException.class).isThrownBy(socket::startHandshake);
		}
		await().untilAsserted(() -> assertThat(output).contains("A connection from 127.0.0.1 is refused: TLS: "));
	}

	@Test
	void clientWithoutTlsGetsAnAnswerThatSaysSo(CapturedOutput output) throws Exception {
		double before = handshakes("plain");
		try (Socket socket = connect(null)) {
			send(socket, STATUS);
			assertThat(toTheEnd(socket)).startsWith("HTTP/1.1 400 Bad Request\r\n")
				.contains("application/problem+json", "this port speaks TLS: use https");
		}
		try (Socket socket = connect(null)) {
			send(socket, "\0\0\0");
			assertThat(socket.getInputStream().read()).isNegative();
		}
		await().untilAsserted(() -> assertThat(handshakes("plain")).isEqualTo(before + 2));
		assertThat(output)
			.contains("A connection from 127.0.0.1 is refused: it does not speak TLS, and this port does");
	}

	@Test
	void connectionWithoutAHandshakeInTimeIsClosed() throws Exception {
		double before = handshakes("timeout");
		try (Socket silent = connect(null); Socket slow = connect(null)) {
			slow.getOutputStream().write(new byte[] { 22, 3, 1, 0 });
			assertThat(silent.getInputStream().read()).isNegative();
			assertThat(slow.getInputStream().read()).isNegative();
		}
		await().untilAsserted(() -> assertThat(handshakes("timeout")).isEqualTo(before + 2));
	}

	/* On a slow machine fewer, as long as some wait for a place. */
	@Test
	void manyClientsThatConnectAtOnceAreAllServed() throws Exception {
		int clients = 100;
		while (!areServedBeside(8, clients)) {
			clients /= 2;
			assertThat(clients).isGreaterThan(8);
		}
	}

	private static boolean areServedBeside(int idle, int clients) throws Exception {
		SSLContext context = tls();
		List<Socket> halfway = new ArrayList<>();
		try (ExecutorService threads = Executors.newFixedThreadPool(clients)) {
			for (int i = 0; i < idle; i++) {
				halfway.add(connect(null));
				halfway.getLast().getOutputStream().write(new byte[] { 22, 3, 1, 0 });
			}
			List<Callable<Boolean>> requests = Collections.nCopies(clients, () -> isServed(context, 1));
			return threads.invokeAll(requests).stream().allMatch((served) -> served.resultNow());
		}
		finally {
			closeAll(halfway);
		}
	}

	@Test
	void answerBeforeTheEndOfALargeBodyArrives() throws Exception {
		try (Socket socket = connect(tls())) {
			send(socket, "PUT /v0/entity?id=large HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 900000000\r\n\r\n");
			Thread.ofVirtual().start(() -> pour(socket));
			assertThat(toTheEnd(socket)).startsWith("HTTP/1.1 413 ").contains("application/problem+json");
		}
	}

	private static void pour(Socket socket) {
		try {
			byte[] part = new byte[16_384];
			for (int i = 0; i < 600; i++) {
				socket.getOutputStream().write(part);
			}
		}
		catch (IOException closed) {
			// The node has closed the connection behind its answer.
		}
	}

	@Test
	void pipelinedRequestsAreAllAnsweredBeforeTheClose() throws Exception {
		try (Socket socket = connect(tls())) {
			send(socket, STATUS + STATUS + LAST_STATUS);
			assertThat(toTheEnd(socket).split("HTTP/1.1 200 OK", -1)).hasSize(4);
		}
	}

	@Test
	void connectionEndsWithAnAnswerAfterItsLifetime() throws Exception {
		long begun = System.nanoTime();
		try (RawConnection connection = RawConnection.over(connect(tls()))) {
			RawConnection.Answer answer;
			do {
				answer = connection.send(STATUS).answer();
				assertThat(answer.status).isEqualTo(200);
			}
			while (!"close".equals(answer.headers.get("connection")));
			assertThat(connection.isAtEnd()).isTrue();
		}
		// A lifetime is shorter by up to a tenth.
		assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(LIFETIME.multipliedBy(9).dividedBy(10));
	}

	@Test
	void managementPortSpeaksTls() throws Exception {
		int management = port("local.management.port");
		HttpResponse<String> answer = http().send(request(management, "/actuator/prometheus").build(),
				BodyHandlers.ofString());
		assertThat(answer.statusCode()).isEqualTo(200);
		assertThat(answer.body()).contains(
				"quorate_tls_handshakes_total{cluster=\"quorate\",node=\"n0\",outcome=\"completed\",port=\"management\"}",
				"quorate_api_certificate_remaining_seconds{cluster=\"quorate\",node=\"n0\",port=\"management\"}",
				"quorate_api_certificate_remaining_seconds{cluster=\"quorate\",node=\"n0\",port=\"clients\"}");
	}

	@Test
	void renewedCertificatesAreServedAndUnusableOnesAreNot(CapturedOutput output) throws Exception {
		X509Certificate before = shown();
		authority.issue("renewed", "ip:127.0.0.1").replace(served);
		await().untilAsserted(() -> {
			assertThat(output).contains("are renewed: new connections to the clients port",
					"are renewed: new connections to the management port");
			assertThat(shown().getSerialNumber()).isNotEqualTo(before.getSerialNumber());
		});
		X509Certificate renewed = shown();
		Files.writeString(served.certificate(), "nonsense");
		await().untilAsserted(() -> assertThat(output).containsPattern(" ERROR .*"));
		assertThat(shown().getSerialNumber()).isEqualTo(renewed.getSerialNumber());
		authority.issue("again", "ip:127.0.0.1").replace(served);
		await().untilAsserted(() -> assertThat(shown().getSerialNumber()).isNotEqualTo(renewed.getSerialNumber()));
	}

	private static X509Certificate shown() throws Exception {
		try (SSLSocket socket = (SSLSocket) connect(tls())) {
			socket.startHandshake();
			return (X509Certificate) socket.getSession().getPeerCertificates()[0];
		}
	}

	/*
	 * Answers have the names in the certificate of the client, for the test to see. No
	 * configuration by name, so that the scan of other tests does not find it.
	 */
	static class Names {

		@Bean
		WebFilter names() {
			return (exchange, chain) -> {
				exchange.getResponse()
					.getHeaders()
					.set("names", ClientCertificate.names(exchange.getRequest()).toString());
				return chain.filter(exchange);
			};
		}

	}

}
