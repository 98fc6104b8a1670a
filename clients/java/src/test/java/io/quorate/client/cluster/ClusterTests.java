package io.quorate.client.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.quorate.client.ByteRange;
import io.quorate.client.ClientBuilder;
import io.quorate.client.Delete;
import io.quorate.client.Entity;
import io.quorate.client.Get;
import io.quorate.client.HeldLock;
import io.quorate.client.ItemResult;
import io.quorate.client.Job;
import io.quorate.client.KeyRecord;
import io.quorate.client.NoNodeAnsweredException;
import io.quorate.client.NoValue;
import io.quorate.client.NotEnoughReplicasException;
import io.quorate.client.NotModified;
import io.quorate.client.OutcomeUnknownException;
import io.quorate.client.Page;
import io.quorate.client.PreconditionFailedException;
import io.quorate.client.Problem;
import io.quorate.client.Put;
import io.quorate.client.QuorateAsyncClient;
import io.quorate.client.QuorateClient;
import io.quorate.client.RangeIterator;
import io.quorate.client.RangeQuery;
import io.quorate.client.RangeRecord;
import io.quorate.client.UnauthenticatedException;
import io.quorate.client.Written;
import io.quorate.client.reactor.QuorateReactiveClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The clients on a cluster of three processes, and on a node with HTTPS and tokens. */
@Tag("cluster")
@Execution(ExecutionMode.SAME_THREAD)
class ClusterTests {

	private static final String NAME = "John Smith + Söhne";

	/* Of reads and writes together. */
	private static final int PER_SECOND = Integer.getInteger("rate", 200);

	@TempDir
	static Path directory;

	private static Cluster cluster;

	private static Cluster secure;

	private final String prefix = UUID.randomUUID() + "/";

	@BeforeAll
	static void startClusters() throws IOException, InterruptedException {
		cluster = new Cluster(Files.createDirectory(directory.resolve("open")), 3, 0);
		secure = new Cluster(Files.createDirectory(directory.resolve("secure")), 1, 10, "--secure");
		cluster.awaitComplete();
		secure.awaitComplete();
	}

	@AfterAll
	static void stopClusters() throws InterruptedException {
		try {
			cluster.stop();
		}
		finally {
			secure.stop();
		}
	}

	private static ClientBuilder builder() {
		// A busy machine is no failure.
		return QuorateClient.builder()
			.endpoints(cluster.urls())
			.options((options) -> options.nodeTimeout(Duration.ofSeconds(20 * Processes.SLOWNESS)));
	}

	private static QuorateClient client() {
		return builder().build();
	}

	@Test
	void valueMakesARoundTrip() {
		try (QuorateClient client = client()) {
			for (String key : List.of(NAME, "/", "..", "a/../b", "+", "%2B", "日本 🍎", "\0\n", "ü%")) {
				Written written = client.put(Put.of(this.prefix + key, "red").ttl(Duration.ofHours(1)));
				Entity entity = client.get(this.prefix + key).orElseThrow();
				assertThat(entity.text()).isEqualTo("red");
				assertThat(entity.etag()).isEqualTo(written.etag());
				assertThat(entity.metadata().contentType()).isEqualTo("text/plain; charset=utf-8");
				assertThat(entity.metadata().expires()).isNotNull();
				assertThat(client.head(this.prefix + key).orElseThrow().size()).isEqualTo(3);
				assertThat(client.get(Get.of(this.prefix + key).ifNoneMatch(written.etag())))
					.isInstanceOf(NotModified.class);
				assertThat(client.getPart(this.prefix + key, ByteRange.last(2)).orElseThrow().text()).isEqualTo("ed");
				client.delete(this.prefix + key);
				assertThat(client.get(this.prefix + key)).isEmpty();
				assertThat(client.head(this.prefix + key)).isEmpty();
			}
			assertThat(client.status().state()).isEqualTo("ready");
		}
	}

	@Test
	void nameIsReadByOthersAndThoseOfOthersAreRead() {
		String ours = "John%20Smith%20%2B%20S%C3%B6hne";
		try (QuorateClient client = client()) {
			client.put(this.prefix + NAME, "by the client");
			assertThat(Processes.curl(cluster.urls().get(1) + "/v0/entity/" + this.prefix + ours))
				.isEqualTo("by the client");
			Processes.curl("-X", "PUT", "--data-binary", "by curl",
					cluster.urls().get(2) + "/v0/entity?id=" + this.prefix + ours);
			assertThat(client.get(this.prefix + NAME).orElseThrow().text()).isEqualTo("by curl");
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void rangesAreWholeAndInOrder(boolean isReverse) {
		List<String> names = IntStream.range(0, 300)
			.mapToObj((i) -> this.prefix + "%03d + é/".formatted(i))
			.collect(Collectors.toList());
		try (QuorateClient client = client()) {
			assertThat(client.batch(names.stream().map((name) -> Put.of(name, name)).toList()))
				.hasOnlyElementsOfType(Written.class);
			RangeQuery query = RangeQuery.prefix(this.prefix);
			if (isReverse) {
				Collections.reverse(names);
				query = query.reverse();
			}
			for (int pageSize : new int[] { 7, 300, 1_000 }) {
				try (RangeIterator<RangeRecord> range = client.range(query.pageSize(pageSize))) {
					assertThat(range.stream().map(RangeRecord::text)).containsExactlyElementsOf(names);
				}
				try (RangeIterator<KeyRecord> range = client.keys(query.pageSize(pageSize))) {
					assertThat(range.stream().map(KeyRecord::key)).containsExactlyElementsOf(names);
				}
			}
			Page<KeyRecord> page = client.keyPage(query.pageSize(20));
			RangeQuery rest = RangeQuery.cursor(Objects.requireNonNull(page.cursor()));
			List<String> all = new ArrayList<>(page.records().stream().map(KeyRecord::key).toList());
			try (RangeIterator<KeyRecord> range = client.keys(isReverse ? rest.reverse() : rest)) {
				range.forEachRemaining((each) -> all.add(each.key()));
			}
			assertThat(all).isEqualTo(names);
		}
		try (QuorateReactiveClient client = QuorateReactiveClient
			.of(QuorateAsyncClient.builder().endpoints(cluster.urls()).buildAsync())) {
			Flux<String> first = client.range(RangeQuery.prefix(this.prefix)).map(RangeRecord::key).take(10);
			assertThat(first.collectList().block(Duration.ofSeconds(20))).hasSize(10);
		}
	}

	@Test
	void itemsOfABatchHaveTheirOutcomes() {
		try (QuorateClient client = client()) {
			List<ItemResult> results = client.batch(
					List.of(Put.of(this.prefix + NAME, "red"), Get.of(this.prefix + NAME), Get.of(this.prefix + "none"),
							Delete.of(this.prefix + NAME), Get.of(this.prefix + NAME)),
					(options) -> options.ack(3));
			assertThat(results).hasSize(5);
			assertThat(((Entity) results.get(1)).text()).isEqualTo("red");
			assertThat(results.get(2)).isInstanceOf(NoValue.class);
			assertThat(results.get(3)).isInstanceOf(Written.class);
			assertThat(results.get(4)).isInstanceOf(NoValue.class);
		}
	}

	@Test
	void valueIsCreatedOnce() {
		try (QuorateAsyncClient client = builder().buildAsync()) {
			List<CompletableFuture<String>> creations = IntStream.range(0, 8)
				.mapToObj((i) -> client.put(Put.of(this.prefix, Integer.toString(i)).ifAbsent()))
				.map((creation) -> creation.handle((written, failure) -> (failure != null)
						? ((PreconditionFailedException) failure).current().orElseThrow()
						: "created " + written.etag()))
				.toList();
			List<String> outcomes = creations.stream().map(CompletableFuture::join).distinct().sorted().toList();
			String etag = client.get(this.prefix).join().orElseThrow().etag();
			// One has created it, and all others have found it.
			assertThat(outcomes).containsExactly(etag, "created " + etag);
		}
	}

	private static void inThreads(int count, Consumer<QuorateClient> task) {
		List<CompletableFuture<Void>> threads = IntStream.range(0, count)
			.mapToObj((number) -> CompletableFuture.runAsync(() -> {
				try (QuorateClient client = client()) {
					task.accept(client);
				}
			}, (thread) -> new Thread(thread).start()))
			.toList();
		threads.forEach(CompletableFuture::join);
	}

	@Test
	void counterHasEachStepWhileANodeIsKilled() throws IOException, InterruptedException {
		AtomicInteger counted = new AtomicInteger();
		CompletableFuture<Void> counting = CompletableFuture.runAsync(() -> inThreads(8, (client) -> {
			for (int step = 0; step < 50; step++) {
				client.increment(this.prefix, 1, Duration.ofHours(1));
				counted.incrementAndGet();
			}
		}));
		Cluster.await(() -> counted.get() > 100);
		cluster.kill(1);
		counting.join();
		cluster.start(1);
		try (QuorateClient client = client()) {
			Entity counter = client.get(this.prefix).orElseThrow();
			assertThat(counter.text()).isEqualTo("400");
			assertThat(counter.metadata().expires()).isNotNull();
			assertThat(client.deletePrefix(this.prefix)).isEqualTo(1);
		}
	}

	@Test
	void lockHasOneHolderAtATime() {
		String key = "lock:" + this.prefix;
		Duration wait = Duration.ofMinutes(5 * Processes.SLOWNESS);
		Queue<Turn> turns = new ConcurrentLinkedQueue<>();
		// As a holder that is killed it leaves the lock behind.
		try (QuorateClient dying = client()) {
			HeldLock lock = dying.lock(key, Duration.ofSeconds(5));
			turns.add(new Turn(lock.token(), System.nanoTime(), System.nanoTime()));
		}
		inThreads(10, (client) -> {
			for (int i = 0; i < 2; i++) {
				try (HeldLock lock = client.lock(key, Duration.ofMinutes(1), wait)) {
					long began = System.nanoTime();
					client.put(this.prefix, lock.token());
					assertThat(client.get(this.prefix).orElseThrow().text()).isEqualTo(lock.token());
					lock.check();
					turns.add(new Turn(lock.token(), began, System.nanoTime()));
				}
			}
		});
		List<Turn> sorted = turns.stream().sorted(Comparator.comparing(Turn::token)).toList();
		assertThat(sorted).hasSize(21);
		for (int i = 1; i < sorted.size(); i++) {
			assertThat(sorted.get(i).began() - sorted.get(i - 1).ended()).isNotNegative();
		}
	}

	private record Turn(String token, long began, long ended) {
	}

	@Test
	void jobIsDoneOnceOrBegunAgainBehindItsLease() {
		String own = this.prefix.replace('/', ':');
		String queue = own + "jobs:";
		try (QuorateClient client = client()) {
			for (int i = 0; i < 40; i++) {
				client.putIfAbsent(Put.of(queue + "%02d".formatted(i), "{\"attempt\":0}"));
			}
			String left;
			try (QuorateClient dying = client()) {
				left = dying.take(queue, Duration.ofSeconds(5)).orElseThrow().key();
			}
			client.putIfAbsent(Put.of(queue + "poison", "{\"poison\":true}"));
			Queue<String> done = new ConcurrentLinkedQueue<>();
			Map<String, Long> attempts = new ConcurrentHashMap<>();
			Duration wait = Duration.ofSeconds(10 * Processes.SLOWNESS);
			inThreads(4, (worker) -> {
				Optional<Job> taken = worker.take(queue, Duration.ofMinutes(1), wait, 3);
				while (taken.isPresent()) {
					try (Job job = taken.get()) {
						attempts.merge(job.key(), job.attempt(), Math::max);
						if (!job.text().equals("{\"poison\":true}")) {
							job.done();
							done.add(job.key());
						}
					}
					taken = worker.take(queue, Duration.ofMinutes(1), wait, 3);
				}
			});
			assertThat(done).hasSize(40).doesNotHaveDuplicates();
			assertThat(attempts.remove(queue + "poison")).isEqualTo(3);
			assertThat(attempts.remove(left)).isEqualTo(2);
			assertThat(attempts.values()).hasSize(39).containsOnly(1L);
			assertThat(client.keyPage(RangeQuery.prefix(own)).records()).extracting(KeyRecord::key)
				.containsExactly(own + "dead:poison");
		}
	}

	@Test
	void nodeWithHttpsAsksForTokens() throws IOException {
		Path secrets = secure.data().resolve("secure");
		Path authority = secrets.resolve("clients-ca.crt");
		Path token = secrets.resolve("app.token");
		try (QuorateClient client = QuorateClient.builder()
			.endpoints(secure.urls())
			.authority(authority)
			.tokenFile(token)
			.build();
				QuorateClient stranger = QuorateClient.builder().endpoints(secure.urls()).authority(authority).build();
				QuorateClient wrong = QuorateClient.builder()
					.endpoints(secure.urls())
					.authority(authority)
					.token("qk_app_wrong")
					.build();
				QuorateClient distrustful = QuorateClient.builder()
					.endpoints(secure.urls())
					.token(Files.readString(token).strip())
					.build()) {
			client.put(this.prefix + NAME, new byte[1_000_000]);
			assertThat(client.keyPage(RangeQuery.prefix(this.prefix)).records()).extracting(KeyRecord::size)
				.containsExactly(1_000_000L);
			assertThatExceptionOfType(UnauthenticatedException.class).isThrownBy(() -> stranger.get(this.prefix));
			assertThatExceptionOfType(UnauthenticatedException.class).isThrownBy(() -> wrong.head(this.prefix));
			assertThatExceptionOfType(NoNodeAnsweredException.class)
				.isThrownBy(() -> distrustful.put(this.prefix, "red"));
		}
	}

	@Test
	void rollingRestartCostsNoReadAndNoAcknowledgedWrite() throws IOException, InterruptedException {
		try (Load load = new Load(cluster.urls(), this.prefix, PER_SECOND)) {
			for (int node = 0; node < 3; node++) {
				int before = load.count();
				Cluster.await(() -> load.count() > before + PER_SECOND);
				cluster.kill(node);
				if (node == 0) {
					assertMissingReplica();
				}
				cluster.start(node);
			}
			int before = load.count();
			Cluster.await(() -> load.count() > before + PER_SECOND);
			assertThat(load.faults()).isEmpty();
			System.out.printf("Rolling restart: %d reads, %d writes acknowledged, %d unknown%n", load.reads(),
					load.acknowledged(), load.unknown());
			// Only writes that are under way at a node that dies are unknown.
			assertThat(load.unknown()).isLessThan(load.acknowledged() / 10);
		}
	}

	private void assertMissingReplica() {
		try (QuorateClient client = client()) {
			assertThatExceptionOfType(OutcomeUnknownException.class)
				.isThrownBy(() -> client.put(Put.of(this.prefix + "three", "red"), (options) -> options.ack(3)))
				.satisfies((error) -> {
					Problem problem = error.problem().orElseThrow();
					assertThat(problem.required()).hasValue(3);
					assertThat(problem.outcome()).isEqualTo("unknown");
					assertThat(problem.replicas()).hasSize(3);
				});
			assertThatExceptionOfType(NotEnoughReplicasException.class)
				.isThrownBy(() -> client.get(this.prefix + "three", (options) -> options.ack(3)));
		}
	}

	@Test
	void examplesRun() throws IOException {
		try (Stream<Path> examples = Files.list(Processes.home().resolve("examples/java"))) {
			assertThat(examples.map((path) -> path.getFileName().toString()))
				.containsExactlyInAnyOrder("Inventory.java", "ConcurrentReads.java");
		}
		assertThat(run(Processes.home().resolve("examples/java/Inventory.java"))).contains("5 apples: taken",
				"8 pears & plums: not enough", "Äpfel + Birnen");
		assertThat(run(Processes.home().resolve("examples/java/ConcurrentReads.java")))
			.contains("500 of 500 round trips right", "500 keys, from square/0000 to square/0499");
	}

	@ParameterizedTest
	@ValueSource(strings = { "clients/java/README.md", "src/docs/java.md" })
	void blocksOfTheDocumentsRun(String document) throws IOException {
		StringBuilder imports = new StringBuilder();
		StringBuilder code = new StringBuilder();
		String[] blocks = Files.readString(Processes.home().resolve(document)).split("```java\n", -1);
		assertThat(blocks.length).isGreaterThan(2);
		for (int i = 1; i < blocks.length; i++) {
			blocks[i].substring(0, blocks[i].indexOf("```"))
				.lines()
				.forEach((line) -> (line.startsWith("import ") ? imports : code).append(line).append('\n'));
		}
		String text = imports + "class Blocks { public static void main(String[] a) throws Exception {\n" + code
				+ "} }\n";
		for (int i = 0; i < 3; i++) {
			text = text.replace("http://localhost:" + (8080 + i), cluster.urls().get(i));
		}
		run(Files.writeString(directory.resolve("Blocks.java"), text));
	}

	private static String run(Path source) {
		return Processes.output(Map.of("QUORATE_ENDPOINTS", String.join(",", cluster.urls())),
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Dstdout.encoding=UTF-8",
						"-Dfile.encoding=UTF-8", "-cp", System.getProperty("java.class.path"), source.toString()));
	}

}
