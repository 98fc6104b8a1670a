package io.quorate.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import io.quorate.Authority;
import io.quorate.Authority.Issued;
import io.quorate.client.NoNodeAnsweredException;
import io.quorate.client.Put;
import io.quorate.client.QuorateClient;
import io.quorate.client.QuorateException;
import io.quorate.process.CredentialLoad.Identity;
import io.quorate.security.access.Token;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A cluster that becomes closed while clients use it, then gets new tokens, a broken
 * access file, new certificates and new authorities, and loses a node: no request of a
 * client with the right credentials fails.
 */
@Tag(Scale.FULL)
class AccessIT {

	/*
	 * At full size 2,400 requests in a second, if each client has two answers within 50
	 * ms.
	 */
	private static final CredentialLoad.Size LOAD = new CredentialLoad.Size(Scale.of(4, 60),
			Scale.interval(Duration.ofMillis(40), Duration.ofMillis(50)), 1);

	/* How long nodes are slow at first is not the subject: quorate bench --cold. */
	private static final Duration WARM_UP = Duration.ofSeconds(Scale.of(0, 30));

	private static final Duration STEP = Duration.ofMillis(Scale.of(500, 20_000));

	/* A node compares the file every 5 s. */
	private static final Duration REVOKED = Duration.ofSeconds(Scale.of(120, 6));

	private static final Duration PATIENCE = REVOKED.plusSeconds(4);

	private static final int LARGE_VALUES = 48;

	private static final int LARGE_BYTES = 1_000_000;

	private static final Pattern LINK = Pattern.compile("\"href\":\"https://[^/]+([^\"?{]+)\"");

	private static final String SECRET_KEY = "pay:secret-customer";

	private static final String ANYBODY = "anonymous: {read: all, write: all, limits: {share: 1}}";

	/* Known by a certificate. */
	private static final String ORDERS = "orders: {certificates: [\"dns:orders.shop.svc\"], read: [\"ord:\"], write: [\"ord:\"], limits: {share: 1}}";

	private static final int BY_TOKEN = 0;

	private static final int BY_CERTIFICATE = 1;

	private final Token first = Token.generate("payments");

	private final Token second = Token.generate("payments");

	private final Token ops = Token.generate("ops");

	@TempDir
	private Path home;

	private ClusterProcesses cluster = ClusterProcesses.none();

	@BeforeEach
	void prepare() throws IOException {
		become(ANYBODY, ORDERS, payments(this.first));
		this.cluster = ClusterProcesses.in(this.home, 3)
			.withHeap("192m")
			.withJvm(Scale.of("-XX:TieredStopAtLevel=1", NodeProcess.AS_DEPLOYED))
			.with("quorate.coordinator.timeout", Scale.of("30s", "1s"))
			.with("quorate.security.access", access().toString());
	}

	@AfterEach
	void stop() {
		this.cluster.close();
	}

	private Path access() {
		return this.home.resolve("access.yml");
	}

	private static String payments(Token... tokens) {
		List<String> hashes = new ArrayList<>();
		for (Token token : tokens) {
			hashes.add("{sha256: \"" + token.sha256() + "\"}");
		}
		return "payments: {tokens: [%s], read: [\"pay:\"], write: [\"pay:\"], limits: {share: 1}}"
			.formatted(String.join(", ", hashes));
	}

	/* Written beside and moved, so that no node reads a half of it. */
	private void become(String... principals) throws IOException {
		String ops = "ops: {tokens: [{sha256: \"%s\"}], metrics: true, admin: true}".formatted(this.ops.sha256());
		Path next = Files.writeString(this.home.resolve("next.yml"),
				"principals:%n  %s%n  %s%n".formatted(ops, String.join("\n  ", principals)));
		Files.move(next, access(), StandardCopyOption.ATOMIC_MOVE);
	}

	@Test
	void fromOpenToClosedAndThroughEveryRotationWithoutAFailedRequest() throws Exception {
		Authority authority = new Authority(this.home, "clients");
		Authority ofPeers = new Authority(this.home, "peers");
		Authority later = new Authority(this.home, "later-clients");
		Authority laterOfPeers = new Authority(this.home, "later-peers");
		Issued orders = authority.issue("orders", "dns:orders.shop.svc");
		ClusterCertificates certificates = new ClusterCertificates(this.home);
		Path both = certificates.both(authority, later);
		certificates.mount(this.cluster, both, authority.issue("server", ClusterCertificates.ANY_NODE),
				ofPeers.issue("peer", ClusterCertificates.ANY_NODE));
		this.cluster.start();
		Identity byToken = new Identity(ClusterCertificates.client(authority.certificate(), null), null, "pay:");
		Identity byCertificate = new Identity(ClusterCertificates.client(authority.certificate(), orders), null,
				"ord:");
		try (CredentialLoad load = CredentialLoad.begin(this.cluster, LOAD, byToken, byCertificate)) {
			if (!WARM_UP.isZero()) {
				Scale.report("AccessIT: warming up, %d failed of %d".formatted(load.warmUp(WARM_UP), load.done()));
			}
			long began = System.nanoTime();
			int before = load.done();
			load.run(STEP);
			closeAndReplaceTokens(load, byToken);
			byToken = byToken.with(this.second);

			Files.writeString(access(), "principals: {payments: {raed: all}}");
			certificates.showToClients(authority.issue("renewed", ClusterCertificates.ANY_NODE));
			load.run(STEP);
			certificates.trust(both, certificates.both(ofPeers, laterOfPeers));
			load.move(BY_TOKEN, byToken.with(ClusterCertificates.client(both, null)));
			load.move(BY_CERTIFICATE, byCertificate.with(ClusterCertificates.client(both, orders)));
			load.run(STEP);
			certificates.show(later.issue("server", ClusterCertificates.ANY_NODE),
					laterOfPeers.issue("peer", ClusterCertificates.ANY_NODE));
			load.run(STEP);
			Issued laterOrders = later.issue("orders", "dns:orders.shop.svc");
			load.move(BY_CERTIFICATE, byCertificate.with(ClusterCertificates.client(both, laterOrders)));
			load.run(STEP);
			certificates.trust(later.certificate(), laterOfPeers.certificate());
			Identity newest = byToken.with(ClusterCertificates.client(later.certificate(), null));
			load.move(BY_TOKEN, newest);
			load.move(BY_CERTIFICATE, byCertificate.with(ClusterCertificates.client(later.certificate(), laterOrders)));
			awaitMetric("quorate_security_access_valid", 0, newest);
			requireOnlyTheNewest(byToken, byCertificate.with(ClusterCertificates.client(both, orders)));
			load.run(STEP);

			become(ORDERS, payments(this.second));
			awaitMetric("quorate_security_access_valid", 1, newest);
			load.run(STEP);
			load.awaitDone(LOAD.clients() * 20);
			load.end();
			int done = load.done() - before;
			Scale.report("AccessIT: %d requests, %d in a second; clients connected %d times, failed: %s".formatted(done,
					done * 1000L / Duration.ofNanos(System.nanoTime() - began).toMillis(), load.connected(),
					load.failures()));
			assertThat(load.failures()).isEmpty();
			this.cluster.kill9("n2");
			this.cluster.one("n2", (node) -> node.with("logging.level.root", "debug")).restart("n2");
			await().atMost(PATIENCE)
				.ignoreExceptions()
				.untilAsserted(() -> assertThat(put("n2", newest)).isEqualTo(201));
			assertThat(put("n2", newest.with(this.first))).isEqualTo(401);
			requireNothingSecretInEndpoints(newest.with(this.ops));
		}
		requireNothingSecretInLogs();
	}

	private void closeAndReplaceTokens(CredentialLoad load, Identity anybody) throws Exception {
		load.move(BY_TOKEN, anybody.with(this.first));
		load.run(STEP);
		become(ORDERS, payments(this.first));
		awaitStatus(anybody, 401);
		load.run(STEP);
		become(ORDERS, payments(this.first, this.second));
		awaitStatus(anybody.with(this.second), 201);
		load.move(BY_TOKEN, anybody.with(this.second));
		try (QuorateClient client = anybody.with(this.second).client(this.cluster.node("n0"))) {
			for (int i = 0; i < LARGE_VALUES; i++) {
				client.put("pay:large-" + i, new byte[LARGE_BYTES]);
			}
		}
		try (SlowRange range = SlowRange.begin(this.cluster.node("n0"), "/v0/entities?prefix=pay:", this.first)) {
			become(ORDERS, payments(this.second));
			awaitStatus(anybody.with(this.first), 401);
			assertThat(range.isComplete()).as("the range of a token that was taken away has an end").isFalse();
		}
		load.run(STEP);
	}

	/* Who knows the old authority alone refuses each node, and the other way round. */
	private void requireOnlyTheNewest(Identity trustsTheOld, Identity showsTheOld) {
		for (String name : this.cluster.names()) {
			assertThatExceptionOfType(NoNodeAnsweredException.class).isThrownBy(() -> put(name, trustsTheOld))
				.withMessageContaining("of no authority that the client trusts");
			assertThat(put(name, showsTheOld)).isEqualTo(401);
		}
	}

	private void awaitStatus(Identity identity, int status) {
		long began = System.nanoTime();
		for (String name : this.cluster.names()) {
			await().atMost(REVOKED).pollInterval(Duration.ofMillis(100)).until(() -> put(name, identity) == status);
		}
		Scale.report("AccessIT: %d on every node after %d ms".formatted(status,
				Duration.ofNanos(System.nanoTime() - began).toMillis()));
	}

	private int put(String node, Identity identity) {
		try (QuorateClient client = identity.client(this.cluster.node(node))) {
			client.put(Put.of(SECRET_KEY, new byte[1]), (options) -> options.ack(3).from(3));
			return 201;
		}
		catch (QuorateException failure) {
			return failure.problem().orElseThrow(() -> failure).status();
		}
	}

	private void awaitMetric(String name, double value, Identity identity) {
		for (String node : this.cluster.names()) {
			await().atMost(PATIENCE).until(() -> metric(node, name, identity) == value);
		}
	}

	private double metric(String node, String name, Identity identity) throws IOException, InterruptedException {
		return new MeterReadings(get(node, "/actuator/prometheus", identity.with(this.ops))).sumOfSome(name);
	}

	private void requireNothingSecretInEndpoints(Identity operator) throws IOException, InterruptedException {
		for (String name : this.cluster.names()) {
			String links = get(name, "/actuator", operator);
			List<String> paths = LINK.matcher(links).results().map((link) -> link.group(1)).toList();
			assertThat(paths).contains("/actuator/access", "/actuator/prometheus");
			for (String path : paths) {
				requireNothingSecret(get(name, path, operator));
			}
			assertThat(get(name, "/actuator/access", operator)).contains(this.second.sha256().substring(0, 8));
		}
	}

	private String get(String node, String path, Identity identity) throws IOException, InterruptedException {
		return NodeClient.text(RawHttp.get(this.cluster.node(node), path, identity));
	}

	private void requireNothingSecret(String text) {
		for (Token token : List.of(this.first, this.second, this.ops)) {
			assertThat(text).doesNotContain(token.text()).doesNotContain(token.sha256());
		}
		assertThat(text).doesNotContain(SECRET_KEY).doesNotContain("secret-customer");
	}

	private void requireNothingSecretInLogs() {
		for (NodeProcess node : this.cluster.nodes()) {
			String log = node.log();
			requireNothingSecret(log);
			assertThat(log).contains("event=access-changed", "event=denied principal=- credential=token");
		}
	}

}
