package io.quorate.process;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.LongFunction;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.quorate.Authority;
import io.quorate.Authority.Issued;
import io.quorate.client.Entity;
import io.quorate.client.QuorateClient;
import io.quorate.client.QuorateException;
import io.quorate.clock.TimeSource;
import io.quorate.process.CredentialLoad.Identity;
import io.quorate.process.Strangers.Stranger;
import io.quorate.security.access.Token;
import io.quorate.security.jwt.TestIssuer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Three nodes with all of their security, which strangers and one of their own principals
 * attack: every request of another client with valid credentials is served. At full size
 * the latencies of its reads are printed, with the attack and without it.
 */
class HostileClientsIT {

	/* The first attack of its kind, and the reads beside it, meet cold code. */
	private static final int ROUNDS_BEFORE = Scale.of(0, 1);

	private static final int ROUNDS = Scale.of(1, 3);

	/*
	 * For more of them: a node that a busy machine slows down reaches no limit at first.
	 */
	private static final Duration UNTIL_SEEN = Duration.ofMinutes(3);

	private static final Duration WITHOUT = Duration.ofMillis(Scale.of(200, 10_000));

	private static final Duration ATTACK = Duration.ofMillis(Scale.of(1000, 10_000));

	private static final CredentialLoad.Size LOAD = new CredentialLoad.Size(Scale.of(2, 40),
			Scale.interval(Duration.ofMillis(10), Duration.ofMillis(8)), 1000);

	/* Ten thousand requests a second of strangers take most of two processors. */
	private static final CredentialLoad.Size LIGHT = new CredentialLoad.Size(Scale.of(2, 8), LOAD.interval(), 1000);

	private static final int WRONG_TOKENS = Scale.perSecond(1000, 1000);

	private static final int FORGED_JWTS = Scale.perSecond(200, 10_000);

	/* A node checks ten of each address in a second. */
	private static final int ADDRESSES = Scale.of(1, 20);

	private static final int HANDSHAKES = Scale.perSecond(200, 700);

	private static final int SLOW_REQUESTS = Scale.of(32, 4096);

	/* Failures of an address within the limit, and beyond it. */
	private static final Set<String> REFUSED = Set.of("401", "429");

	private static final Set<String> ANSWERED = Set.of("answered");

	private static final Duration PATIENCE = Duration.ofMinutes(3);

	/* Longer than anything here takes: what is frozen and what is slow stay so. */
	private static final Duration LONG = Duration.ofMinutes(10);

	private static final Token PAYMENTS = Token.generate("payments");

	private static final Token SLOW = Token.generate("slow");

	private static final Token OPS = Token.generate("ops");

	private static final CountDownLatch KEYS_ARE_ASKED_FOR = new CountDownLatch(1);

	private static final CountDownLatch KEYS_ARE_THERE = new CountDownLatch(1);

	private static ClusterProcesses cluster = ClusterProcesses.none();

	private static SSLContext tls;

	private static HttpsServer keys;

	@BeforeAll
	static void start(@TempDir Path home) throws Exception {
		Authority authority = new Authority(home, "clients");
		tls = ClusterCertificates.client(authority.certificate(), null);
		Issued server = authority.issue("server", ClusterCertificates.ANY_NODE);
		keys = serveKeys(server);
		Path access = Files.writeString(home.resolve("access.yml"),
				"""
						principals:
						  anonymous: {write: ["probe-of-the-fixture-"], limits: {share: 1}}
						  payments: {tokens: [{sha256: "%s"}], jwt: ["payments"], read: ["pay:"], write: ["pay:"], limits: {share: 1}}
						  slow: {tokens: [{sha256: "%s"}], read: ["slow:"], limits: {share: 0.5}}
						  ops: {tokens: [{sha256: "%s"}], metrics: true, admin: true}
						"""
					.formatted(PAYMENTS.sha256(), SLOW.sha256(), OPS.sha256()));
		cluster = ClusterProcesses.in(home, 3)
			.withHeap("192m")
			.withJvm(Scale.of("-XX:TieredStopAtLevel=1", NodeProcess.AS_DEPLOYED))
			.with("quorate.coordinator.timeout", Scale.of("30s", "1s"))
			.with("quorate.coordinator.max-timeout", LONG.toSeconds() + "s")
			.with("quorate.security.access", access.toString())
			.with("quorate.security.jwt.issuer", TestIssuer.ISSUER)
			.with("quorate.security.jwt.jwk-set-bundle", "clients")
			.with("quorate.api.max-connections", "16384")
			.with("quorate.coordinator.max-requests", Integer.toString(2 * SLOW_REQUESTS))
			.with("quorate.internode.max-requests", "16384")
			.with(ClusterProcesses.SILENCE, LONG.toSeconds() + "s");
		String address = "https://127.0.0.1:" + keys.getAddress().getPort();
		for (String name : cluster.names()) {
			cluster.node(name)
				.with("quorate.security.jwt.jwk-set-uri", address + (name.equals("n2") ? "/hanging" : "/keys"));
		}
		new ClusterCertificates(home).mount(cluster, authority.certificate(), server,
				new Authority(home, "peers").issue("peer", ClusterCertificates.ANY_NODE));
		cluster.start();
	}

	private static HttpsServer serveKeys(Issued issued) throws IOException {
		HttpsServer server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		server.setHttpsConfigurator(new HttpsConfigurator(issued.bundle().createSslContext()));
		server.setExecutor((task) -> Thread.ofPlatform().daemon().start(task));
		server.createContext("/keys", HostileClientsIT::answer);
		server.createContext("/hanging", (exchange) -> {
			try {
				KEYS_ARE_ASKED_FOR.countDown();
				KEYS_ARE_THERE.await();
				answer(exchange);
			}
			catch (InterruptedException stopped) {
				Thread.currentThread().interrupt();
			}
		});
		server.start();
		return server;
	}

	private static void answer(HttpExchange exchange) throws IOException {
		try (exchange) {
			byte[] body = TestIssuer.keys().getBytes(StandardCharsets.UTF_8);
			exchange.sendResponseHeaders(200, body.length);
			exchange.getResponseBody().write(body);
		}
	}

	@AfterAll
	static void stop() {
		KEYS_ARE_THERE.countDown();
		cluster.close();
		keys.stop(0);
	}

	@Test
	void manyWrongTokensComeFromTheAddressOfAClient() throws Exception {
		Map<String, Integer> outcomes = requireServedDuring("wrong tokens", LOAD, WRONG_TOKENS,
				(_) -> new Forger("127.0.0.1", "qk_payments_%043d"::formatted), REFUSED);
		assertThat(outcomes).containsOnlyKeys(REFUSED);
	}

	@Test
	void manyForgedJsonWebTokensAreChecked() throws Exception {
		Map<String, Integer> outcomes = requireServedDuring("forged JSON web tokens", LIGHT, FORGED_JWTS,
				(stranger) -> new Forger("127.0.1." + (1 + stranger % ADDRESSES), TestIssuer::forged), REFUSED);
		assertThat(outcomes.keySet()).isSubsetOf("401", "429", "503").containsAll(REFUSED);
	}

	@Test
	void manyHandshakesAreBegunOnThePortForClients() throws Exception {
		byte[] hello = hello();
		int port = cluster.node("n0").port();
		Map<String, Integer> outcomes = requireServedDuring("handshakes on the port for clients", LOAD, HANDSHAKES,
				(_) -> (_) -> shakeHands(port, hello), ANSWERED);
		assertThat(outcomes).containsKey("answered");
	}

	@Test
	void manyHandshakesAreBegunOnThePortBetweenNodes() throws Exception {
		byte[] hello = hello();
		int port = cluster.internodePort("n0");
		Map<String, Integer> outcomes = requireServedDuring("handshakes on the port between nodes", LOAD, HANDSHAKES,
				(_) -> (_) -> shakeHands(port, hello), ANSWERED);
		assertThat(outcomes).containsKey("answered");
	}

	/*
	 * The first message of a client, the same each time: it costs the stranger nothing,
	 * and the node an exchange of keys and a signature.
	 */
	private static byte[] hello() throws IOException, GeneralSecurityException {
		SSLEngine engine = SSLContext.getDefault().createSSLEngine();
		engine.setUseClientMode(true);
		engine.setEnabledProtocols(new String[] { "TLSv1.3" });
		ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
		engine.wrap(ByteBuffer.allocate(0), hello);
		byte[] bytes = new byte[hello.flip().remaining()];
		hello.get(bytes);
		return bytes;
	}

	private static String shakeHands(int port, byte[] hello) throws IOException {
		try (Socket socket = Strangers.connect("127.0.0.2", port)) {
			socket.getOutputStream().write(hello);
			return (socket.getInputStream().read() == 0x16) ? "answered" : "closed";
		}
	}

	/**
	 * The outcomes of an attack, during which all other requests are served. It goes on
	 * until each of those expected was seen, for a bounded time.
	 */
	private static Map<String, Integer> requireServedDuring(String attack, CredentialLoad.Size size, int perSecond,
			IntFunction<Stranger> strangers, Set<String> expected) throws Exception {
		LatencyHistogram without = new LatencyHistogram();
		LatencyHistogram with = new LatencyHistogram();
		Map<String, Integer> outcomes = new TreeMap<>();
		Identity client = new Identity(tls, PAYMENTS, "pay:");
		try (CredentialLoad load = CredentialLoad.begin(cluster, size, client)) {
			for (int round = 0; round < ROUNDS_BEFORE; round++) {
				try (Strangers begun = Strangers.begin(perSecond, strangers)) {
					load.warmUp(ATTACK);
					begun.end();
				}
			}
			int rounds = 0;
			long end = System.nanoTime() + UNTIL_SEEN.toNanos();
			while (rounds < ROUNDS || (System.nanoTime() - end < 0 && !outcomes.keySet().containsAll(expected))) {
				rounds++;
				load.run(WITHOUT, without);
				try (Strangers begun = Strangers.begin(perSecond, strangers)) {
					load.run(ATTACK, with);
					begun.end().forEach((outcome, count) -> outcomes.merge(outcome, count, Integer::sum));
				}
			}
			load.end();
			Scale.report("HostileClientsIT: %s in %d s: %s; reads without: %s; with: %s; p99 %.2f times; failed: %s"
				.formatted(attack, rounds * ATTACK.toSeconds(), outcomes, without, with,
						(double) with.nanosOf(0.99) / without.nanosOf(0.99), load.failures()));
			assertThat(load.failures()).isEmpty();
		}
		return outcomes;
	}

	@Test
	void slowRequestsOfOnePrincipalHoldNoMoreThanItsShare() throws Exception {
		List<Socket> slow = new ArrayList<>();
		try (QuorateClient payments = client("n0", PAYMENTS.text())) {
			payments.put("pay:shared", "1");
			cluster.freezeOthers("n0");
			for (int i = 0; i < SLOW_REQUESTS; i++) {
				slow.add(slow(i));
			}
			await().atMost(PATIENCE).until(() -> inFlight() >= SLOW_REQUESTS);
			for (int i = 0; i < 20; i++) {
				try (Socket further = slow(SLOW_REQUESTS + i)) {
					assertThat(Strangers.status(further)).isEqualTo("429");
				}
				assertThat(payments.get("pay:shared", (options) -> options.ack(1).from(3))).isPresent();
			}
			assertThat(inFlight()).isGreaterThanOrEqualTo(SLOW_REQUESTS);
		}
		finally {
			for (Socket socket : slow) {
				socket.close();
			}
			cluster.thaw("n1");
			cluster.thaw("n2");
		}
		await().atMost(PATIENCE).until(() -> inFlight() < 1);
	}

	/* The other replicas are frozen. */
	private static Socket slow(int number) throws IOException {
		Socket socket = Strangers.connect("127.0.0.2", cluster.node("n0").port(), tls);
		Strangers.get(socket, "/v0/entity?id=slow:%d&replicas=2/3".formatted(number),
				"Quorate-Timeout: " + LONG.toMillis(), "Authorization: Bearer " + SLOW.text());
		return socket;
	}

	private static double inFlight() throws IOException, InterruptedException {
		Identity ops = new Identity(tls, OPS, "");
		return new MeterReadings(NodeClient.text(RawHttp.get(cluster.node("n0"), "/actuator/prometheus", ops)))
			.sumOfSome("quorate_inflight_requests");
	}

	@Test
	void aNodeWhoseIssuerHangsServesTokens() throws Exception {
		String jwt = TestIssuer.token("payments", Instant.ofEpochMilli(TimeSource.SYSTEM.millis()));
		try (QuorateClient first = client("n2", jwt); QuorateClient payments = client("n2", PAYMENTS.text())) {
			CompletableFuture<Optional<Entity>> waiting = first.async().get("pay:none");
			assertThat(KEYS_ARE_ASKED_FOR.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
			for (int i = 0; i < 20; i++) {
				assertThat(payments.get("pay:none")).isEmpty();
			}
			// The node gives the issuer up after 5 s, and refuses the token then.
			assertThat(waiting.state()).isNotEqualTo(Future.State.SUCCESS);
			KEYS_ARE_THERE.countDown();
			await().atMost(PATIENCE)
				.ignoreExceptionsInstanceOf(QuorateException.class)
				.until(() -> first.get("pay:none").isEmpty());
		}
	}

	/* Of one node. A call is one request. */
	private static QuorateClient client(String node, String token) {
		return QuorateClient.builder()
			.endpoints(cluster.node(node).uri("").toString())
			.sslContext(tls)
			.token(token)
			.options((options) -> options.attempts(1).deadline(PATIENCE).stallTimeout(PATIENCE))
			.build();
	}

	/** A stranger that sends tokens on one connection, as long as the node keeps it. */
	private static final class Forger implements Stranger {

		private final String address;

		private final LongFunction<String> tokens;

		private @Nullable KeptConnection used;

		Forger(String address, LongFunction<String> tokens) {
			this.address = address;
			this.tokens = tokens;
		}

		@Override
		public String attempt(long number) throws IOException {
			try {
				return Integer.toString(
						connection().exchange("GET", "/v0/entity?id=pay:1", this.tokens.apply(number), null).status());
			}
			catch (IOException lost) {
				close();
				throw lost;
			}
		}

		private KeptConnection connection() throws IOException {
			KeptConnection kept = this.used;
			if (kept != null && kept.isKept()) {
				return kept;
			}
			close();
			KeptConnection next = KeptConnection.over(Strangers.connect(this.address, cluster.node("n0").port(), tls));
			this.used = next;
			return next;
		}

		@Override
		public void close() {
			if (this.used != null) {
				this.used.close();
				this.used = null;
			}
		}

	}

}
