package io.quorate.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.quorate.api.SpanReceiver;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestInstancePostProcessor;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.FileSystemUtils;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A cluster of three that all test classes of a JVM share, each with keys of its own.
 * After each test all nodes run again, and none has raised an alarm.
 * <p>
 * A node compares its store with others only when a test asks for it, so no comparison
 * makes good what a write, a hint or a read has left undone. Two nodes keep connections
 * to a silent peer for longer than any request may take: a request that waits for a
 * frozen node fails there. {@link #GIVES_UP} closes them earlier.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(SharedCluster.Sharing.class)
abstract class SharedCluster {

	static final int NODES = 3;

	static final String GIVES_UP = "n2";

	/* The longest time of a request. */
	static final Duration DEADLINE = Duration.ofSeconds(30);

	/* What must come. */
	static final Duration PATIENCE = Duration.ofMinutes(2);

	/* Age below which a comparison takes an entry to be in transit. */
	private static final Duration LEFT_OUT = Duration.ofSeconds(5);

	/* The delays of the manifests, and a fifth of them in every build. */
	static final int SHORTER = Scale.of(5, 1);

	ClusterProcesses cluster = ClusterProcesses.none();

	@Nullable SpanReceiver spans;

	@AfterEach
	void healCluster() throws Exception {
		this.cluster.heal();
		assertThat(this.cluster.alarms()).isEmpty();
	}

	/** The state of a member as another one sees it, such as {@code up}. */
	final String member(String node, String peer) throws IOException, InterruptedException {
		return pair(node, peer).get("member").asString();
	}

	/** What a node knows of the writes that a peer lacks. */
	final JsonNode pair(String node, String peer) throws IOException, InterruptedException {
		return consistency(node).get("peers")
			.valueStream()
			.filter((pair) -> pair.get("peer").asString().equals(peer))
			.findFirst()
			.orElseThrow();
	}

	final JsonNode consistency(String node) throws IOException, InterruptedException {
		return json(node, "/v0/consistency");
	}

	/** The comparisons that a node leads or has led since its start. */
	final List<JsonNode> comparisons(String node) throws IOException, InterruptedException {
		return json(node, "/actuator/repair").get("comparisons").valueStream().toList();
	}

	/**
	 * Has a node compare its store with others, and returns when all that were asked for
	 * are complete.
	 * @param what the body of the request, such as <code>{}</code> for all peers
	 * @param count number of comparisons that this is
	 */
	final List<JsonNode> repair(String node, String what, int count) throws IOException, InterruptedException {
		int before = comparisons(node).size();
		assertThat(this.cluster.client(node).postPath("/actuator/repair", what).statusCode()).isEqualTo(202);
		await().atMost(PATIENCE).untilAsserted(() -> {
			assertThat(comparisons(node)).hasSize(before + count);
			assertThat(comparisons(node)).allMatch((each) -> each.get("state").asString().equals("completed"));
		});
		return comparisons(node).subList(before, before + count);
	}

	/**
	 * Returns when comparisons look at what was written before an instant: those that
	 * begin within five seconds of a write leave it out.
	 */
	static void awaitCompared(Instant written) {
		await().atMost(PATIENCE).until(() -> Instant.now().isAfter(written.plus(LEFT_OUT)));
	}

	private JsonNode json(String node, String path) throws IOException, InterruptedException {
		HttpResponse<byte[]> answer = this.cluster.client(node).getPath(path);
		assertThat(answer.statusCode()).as(NodeClient.text(answer)).isEqualTo(200);
		return JsonMapper.shared().readTree(NodeClient.text(answer));
	}

	/** Starts the cluster for the first class, and ends it behind the last of the JVM. */
	static final class Sharing implements TestInstancePostProcessor {

		private static final Namespace NAMESPACE = Namespace.create(SharedCluster.class);

		@Override
		public void postProcessTestInstance(Object test, ExtensionContext context) {
			Shared shared = context.getStore(StoreScope.LAUNCHER_SESSION, NAMESPACE)
				.computeIfAbsent(Shared.class, (_) -> Shared.start(), Shared.class);
			((SharedCluster) test).cluster = shared.cluster;
			((SharedCluster) test).spans = shared.spans;
		}

	}

	/** The cluster of this JVM, and what takes its traces. */
	private record Shared(Path home, ClusterProcesses cluster, SpanReceiver spans) implements AutoCloseable {

		static Shared start() {
			try {
				Path home = Files.createTempDirectory("quorate-shared-cluster");
				SpanReceiver spans = new SpanReceiver();
				return new Shared(home, nodes(home, spans).start(), spans);
			}
			catch (IOException failure) {
				throw new UncheckedIOException(failure);
			}
		}

		private static ClusterProcesses nodes(Path home, SpanReceiver spans) throws IOException {
			return ClusterProcesses.in(home, NODES)
				.withHeap("256m")
				.withJvm("-XX:TieredStopAtLevel=1")
				.with("quorate.internode.disconnect-after", 2 * DEADLINE.toSeconds() + "s")
				.with("quorate.operations.drain-delay", ofManifests("drain-delay").dividedBy(SHORTER).toMillis() + "ms")
				.with("quorate.repair.enabled", "false")
				.with("quorate.storage.memtable-size", "1MB")
				.with("management.opentelemetry.tracing.export.otlp.endpoint", spans.endpoint())
				.with("management.opentelemetry.tracing.export.schedule-delay", "50ms")
				.with("management.tracing.sampling.probability", "0")
				.one(GIVES_UP, (node) -> node.with("quorate.internode.disconnect-after", "7s"));
		}

		private static Duration ofManifests(String delay) {
			return DurationStyle.detectAndParse(Manifests.configuration("base").at("/operations/" + delay).asString());
		}

		@Override
		public void close() throws IOException {
			this.cluster.close();
			this.spans.close();
			FileSystemUtils.deleteRecursively(this.home);
		}

	}

}
