package io.quorate.process;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import io.quorate.security.access.Token;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A cluster that becomes closed while clients use it, replaces their tokens, loses a node
 * and gets a broken access file: no request of a client with the right token fails.
 */
class AccessIT {

	private static final int CLIENTS = Scale.of(2, 8);

	private static final Duration INTERVAL = Duration.ofMillis(Scale.of(20, 4));

	private static final Duration STEP = Duration.ofSeconds(Scale.of(1, 20));

	/* A node compares the file every 5 s. */
	private static final Duration REVOKED = Duration.ofSeconds(6);

	private static final String SECRET_KEY = "pay:secret-customer";

	private final Token first = Token.generate("payments");

	private final Token second = Token.generate("payments");

	private final Token ops = Token.generate("ops");

	private Path access = Path.of("none");

	private ClusterProcesses cluster = ClusterProcesses.none();

	@BeforeEach
	void start(@TempDir Path home) throws IOException {
		this.access = home.resolve("access.yml");
		become("anonymous: {read: all, write: all, limits: {share: 1}}", payments(this.first));
		this.cluster = ClusterProcesses.in(home, 3)
			.withHeap("192m")
			.withJvm("-XX:TieredStopAtLevel=1")
			.with("quorate.security.access", this.access.toString())
			.start();
	}

	@AfterEach
	void stop() {
		this.cluster.close();
	}

	private String payments(Token... tokens) {
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
		Path next = Files.writeString(this.access.resolveSibling("next.yml"),
				"principals:%n  %s%n  %s%n".formatted(ops, String.join("\n  ", principals)));
		Files.move(next, this.access, StandardCopyOption.ATOMIC_MOVE);
	}

	@Test
	void fromOpenToClosedAndThroughARotationWithoutAFailedRequest() throws Exception {
		Load load = new Load(this.cluster);
		try {
			load.run(STEP);
			load.token = this.first;
			load.run(STEP);
			become(payments(this.first));
			awaitStatus(null, 401);
			load.run(STEP);
			become(payments(this.first, this.second));
			awaitStatus(this.second, 201);
			load.token = this.second;
			load.awaitRequests();
			become(payments(this.second));
			awaitStatus(this.first, 401);
			load.run(STEP);
			Files.writeString(this.access, "principals: {payments: {raed: all}}");
			await().atMost(REVOKED.plusSeconds(4)).until(() -> metric("n0", "quorate_security_access_valid") == 0);
			load.run(STEP);
			become(payments(this.second));
			await().atMost(REVOKED.plusSeconds(4)).until(() -> metric("n0", "quorate_security_access_valid") == 1);
			load.run(STEP);
			load.end();
			Scale.report("AccessIT: %d requests, failed: %s".formatted(load.done.get(), load.failures));
			assertThat(load.failures).isEmpty();
			assertThat(load.done.get()).isGreaterThan(CLIENTS * 20);
		}
		finally {
			load.end();
		}
		this.cluster.kill9("n2");
		this.cluster.restart("n2");
		await().untilAsserted(() -> assertThat(put("n2", this.second).statusCode()).isEqualTo(201));
		assertThat(put("n2", this.first).statusCode()).isEqualTo(401);
		requireNothingSecretInLogs();
	}

	private void awaitStatus(@Nullable Token token, int status) {
		long began = System.nanoTime();
		for (String name : this.cluster.names()) {
			await().atMost(REVOKED)
				.pollInterval(Duration.ofMillis(100))
				.until(() -> put(name, token).statusCode() == status);
		}
		Scale.report("AccessIT: %d on every node after %d ms".formatted(status,
				Duration.ofNanos(System.nanoTime() - began).toMillis()));
	}

	private HttpResponse<String> put(String node, @Nullable Token token) throws IOException, InterruptedException {
		try (HttpClient client = HttpClient.newHttpClient()) {
			return client.send(request(this.cluster.node(node), "/v0/entity/" + SECRET_KEY, token)
				.PUT(HttpRequest.BodyPublishers.ofString("1"))
				.build(), BodyHandlers.ofString());
		}
	}

	private double metric(String node, String name) throws IOException, InterruptedException {
		try (HttpClient client = HttpClient.newHttpClient()) {
			String meters = client
				.send(request(this.cluster.node(node), "/actuator/prometheus", this.ops).build(),
						BodyHandlers.ofString())
				.body();
			return meters.lines()
				.filter((line) -> line.startsWith(name + "{"))
				.mapToDouble((line) -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
				.findFirst()
				.orElseThrow(() -> new AssertionError(meters));
		}
	}

	private static HttpRequest.Builder request(NodeProcess node, String path, @Nullable Token token) {
		HttpRequest.Builder request = HttpRequest.newBuilder(node.uri(path)).timeout(Duration.ofSeconds(5));
		return (token != null) ? request.header("Authorization", "Bearer " + token.text()) : request;
	}

	private void requireNothingSecretInLogs() {
		for (NodeProcess node : this.cluster.nodes()) {
			String log = node.log();
			for (Token token : List.of(this.first, this.second, this.ops)) {
				assertThat(log).doesNotContain(token.text()).doesNotContain(token.sha256());
			}
			assertThat(log).doesNotContain(SECRET_KEY).doesNotContain("secret-customer");
			assertThat(log).contains("event=access-changed", "event=denied principal=- credential=token");
		}
	}

	/** Clients that write and read keys, each with new connections now and then. */
	private static final class Load {

		private final AtomicInteger done = new AtomicInteger();

		private final Queue<String> failures = new ConcurrentLinkedQueue<>();

		private final List<Thread> clients = new ArrayList<>();

		private final List<NodeProcess> nodes;

		private volatile @Nullable Token token;

		private volatile boolean ended;

		private Load(ClusterProcesses cluster) {
			this.nodes = List.copyOf(cluster.nodes());
			for (int i = 0; i < CLIENTS; i++) {
				int number = i;
				this.clients.add(Thread.ofVirtual().start(() -> client(number)));
			}
		}

		private void client(int number) {
			Pace pace = new Pace(INTERVAL);
			for (int round = 0; !this.ended; round += 20) {
				try (HttpClient client = HttpClient.newHttpClient()) {
					for (int i = round; i < round + 20 && !this.ended; i++) {
						pace.await();
						String path = "/v0/entity/pay:%d-%d?replicas=2/3".formatted(number, i % 50);
						NodeProcess node = this.nodes.get(i % this.nodes.size());
						send(client, request(node, path, this.token).PUT(HttpRequest.BodyPublishers.ofString("v" + i)),
								201);
						send(client, request(node, path, this.token), 200);
					}
				}
				catch (InterruptedException interrupted) {
					Thread.currentThread().interrupt();
					return;
				}
			}
		}

		private void send(HttpClient client, HttpRequest.Builder request, int expected) throws InterruptedException {
			try {
				HttpResponse<String> answer = client.send(request.build(), BodyHandlers.ofString());
				if (answer.statusCode() != expected) {
					this.failures.add(answer.statusCode() + " " + answer.body());
				}
			}
			catch (IOException failure) {
				this.failures.add(failure.toString());
			}
			this.done.incrementAndGet();
		}

		/** Lets the clients go on for so long. */
		private void run(Duration time) {
			int before = this.done.get();
			await().pollDelay(time).atMost(time.plusSeconds(30)).until(() -> this.done.get() > before);
		}

		/** Returns when each request that was sent with another token has its answer. */
		private void awaitRequests() {
			int before = this.done.get();
			await().atMost(Duration.ofSeconds(30)).until(() -> this.done.get() > before + 8 * CLIENTS);
		}

		private void end() throws InterruptedException {
			this.ended = true;
			for (Thread client : this.clients) {
				client.join();
			}
		}

	}

}
