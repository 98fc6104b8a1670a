package io.quorate.process;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

/**
 * Five nodes with three copies of everything and wall clocks that differ: what begins
 * after something else was acknowledged is ordered behind it, whichever nodes are asked,
 * and a clock that is far off harms nobody but its node. Equal clocks come first: later
 * the hybrid clocks run ahead.
 */
@Tag(Scale.FULL)
@TestMethodOrder(OrderAnnotation.class)
class OrderUnderSkewIT {

	private static final int NODES = 5;

	private static final int THREADS = 4;

	private static final int KEYS = 20;

	private static final int PAIRS = Scale.of(400, 100_000);

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	private static final Duration YEAR_2100 = Duration.ofDays(75 * 365);

	private static final Duration LIMIT = Duration.ofMinutes(Scale.of(5, 60));

	private static final Duration GREATEST_SKEW = Duration.ofSeconds(40);

	private static final long MAX_SKEW_MILLIS = 60_000;

	private static final Map<String, WallClock> CLOCKS = new LinkedHashMap<>();

	private static final Map<String, Duration> AHEAD = new HashMap<>();

	private static long seed;

	private static ClusterProcesses cluster;

	@BeforeAll
	static void start(@TempDir Path home) throws Exception {
		seed = Scale.seed("OrderUnderSkewIT");
		cluster = ClusterProcesses.in(home, NODES)
			.withReplicationFactor(3)
			.with("management.endpoint.health.show-details", "always")
			.withHeap("96m")
			.withJvm("-XX:TieredStopAtLevel=1");
		for (String name : cluster.names()) {
			CLOCKS.put(name, WallClock.of(cluster.node(name)));
		}
		cluster.start();
	}

	@AfterAll
	static void stop() {
		if (cluster != null) {
			cluster.close();
		}
	}

	@BeforeEach
	void correctClocks() throws Exception {
		for (String name : cluster.names()) {
			set(name, Duration.ZERO);
		}
		for (String name : cluster.names()) {
			awaitWriting(name);
		}
	}

	@Test
	@Order(1)
	void withEqualClocksTheSecondOfTwoWritesToOneKeyWins() throws Exception {
		runPairs("equal clocks", "n0", "n1", 1, PAIRS / 2);
		set("n3", GREATEST_SKEW);
		assertThat(client("n3").put("ahead", new byte[1]).statusCode()).isEqualTo(201);
		set("n3", Duration.ZERO);
		int sameMillisecond = runPairs("equal clocks, behind the hybrid ones", "n0", "n1", 1, PAIRS / 2);
		assertThat(sameMillisecond).isPositive();
	}

	@Test
	@Order(2)
	void withClocksThatDifferAndMoveWhatBeginsLaterWins() throws Exception {
		int ahead = 0;
		for (WallClock clock : CLOCKS.values()) {
			clock.set(GREATEST_SKEW.multipliedBy(ahead++).dividedBy(NODES - 1));
		}
		AtomicBoolean over = new AtomicBoolean();
		AtomicInteger moves = new AtomicInteger();
		try (Workers mover = Workers.begin(1, (_) -> move(over, moves))) {
			try {
				runPairs("clocks up to 40 s apart", null, null, KEYS, PAIRS);
			}
			finally {
				over.set(true);
			}
			mover.join(LIMIT);
		}
		Scale.report("clocks moved %d times".formatted(moves.get()));
		assertThat(moves.get()).isPositive();
	}

	private static void move(AtomicBoolean over, AtomicInteger moves) throws IOException {
		Random random = new Random(seed);
		List<WallClock> clocks = List.copyOf(CLOCKS.values());
		while (!over.get()) {
			clocks.get(random.nextInt(NODES)).set(Duration.ofSeconds(random.nextLong(GREATEST_SKEW.toSeconds() + 1)));
			moves.incrementAndGet();
			await().pollDelay(Duration.ofMillis(200)).until(() -> true);
		}
	}

	/**
	 * The nodes are those named, or any two.
	 * @return how many pairs have both stamps in one millisecond
	 */
	private static int runPairs(String what, @Nullable String first, @Nullable String second, int keys, int pairs)
			throws Exception {
		List<String> names = cluster.names();
		AtomicInteger sameMillisecond = new AtomicInteger();
		long began = System.nanoTime();
		Workers.run(THREADS, LIMIT, (thread) -> {
			Random random = new Random(seed * THREADS + thread);
			for (int pair = 0; pair < pairs / THREADS; pair++) {
				int one = random.nextInt(NODES);
				String before = (first != null) ? first : names.get(one);
				String after = (second != null) ? second : names.get((one + 1 + random.nextInt(NODES - 1)) % NODES);
				String key = "pair-%d-%d".formatted(thread, random.nextInt(keys));
				String reader = names.get(random.nextInt(NODES));
				String stamps = new Pair(key, before, after, reader, "%d-%d".formatted(thread, pair)).run(random);
				if (stamps.startsWith("same")) {
					sameMillisecond.incrementAndGet();
				}
			}
		});
		Scale.report("%s: %d pairs in %d ms, of %d both stamps in one millisecond".formatted(what, pairs,
				(System.nanoTime() - began) / 1_000_000, sameMillisecond.get()));
		return sameMillisecond.get();
	}

	/** Two writes to a key, the second when the first is acknowledged, and a read. */
	private record Pair(String key, String before, String after, String reader, String value) {

		private String run(Random random) throws Exception {
			String first = write(this.before, this.value + "-first", random.nextInt(4) == 0);
			boolean deletes = random.nextInt(4) == 0;
			String second = write(this.after, this.value + "-second", deletes);
			NodeAnswer read = client(this.reader).get(this.key);
			String seen = "%s of %s at %s, then of %s at %s, read through %s: %d %s".formatted(this.key, this.before,
					first, this.after, second, this.reader, read.statusCode(), new String(read.body(), UTF_8));
			if (deletes) {
				assertThat(read.statusCode()).as(seen).isEqualTo(404);
			}
			else {
				assertThat(new String(read.body(), UTF_8)).as(seen).isEqualTo(this.value + "-second");
			}
			assertThat(second).as(seen).isGreaterThan(first);
			return (Stamps.millis(first) == Stamps.millis(second)) ? "same" : "different";
		}

		private String write(String node, String written, boolean deletes) throws Exception {
			NodeAnswer answer = deletes ? client(node).delete(this.key)
					: client(node).put(this.key, written.getBytes(UTF_8));
			assertThat(answer.statusCode()).as("%s through %s: %s", written, node, new String(answer.body(), UTF_8))
				.isEqualTo(deletes ? 202 : 201);
			return Stamps.of(answer);
		}

	}

	@Test
	@Order(3)
	void anEntryExpiresForAllNodesAtOneTimeWhateverTheirClocksShow() throws Exception {
		int ahead = 0;
		for (String name : cluster.names()) {
			set(name, Duration.ofSeconds(10L * ahead++));
		}
		awaitHeard();
		for (String writer : List.of("n0", "n4")) {
			String key = "expires-" + writer;
			long began = System.nanoTime();
			assertThat(client(writer).with("ttl=3").put(key, new byte[1]).statusCode()).isEqualTo(201);
			long written = System.nanoTime();
			// On a busy machine a look may take long: it counts by when it began and
			// ended.
			Map<String, Long> goneAfterMillis = new LinkedHashMap<>();
			Map<String, Long> thereAfterMillis = new LinkedHashMap<>();
			await().atMost(PATIENCE).pollInterval(Duration.ofMillis(10)).until(() -> {
				for (String name : cluster.names()) {
					long asked = (System.nanoTime() - written) / 1_000_000;
					int status = client(name).get(key).statusCode();
					if (status == 200) {
						thereAfterMillis.put(name, asked);
					}
					else if (status == 404) {
						goneAfterMillis.putIfAbsent(name, (System.nanoTime() - began) / 1_000_000);
					}
				}
				return goneAfterMillis.size() == NODES;
			});
			Scale.report("written through %s, gone after (ms): %s".formatted(writer, goneAfterMillis));
			assertThat(goneAfterMillis.values()).allMatch((millis) -> millis > 1500);
			assertThat(thereAfterMillis.values()).allMatch((millis) -> millis < 6000);
		}
	}

	@Test
	@Order(4)
	void aNodeTenMinutesBehindServesInOrder() throws Exception {
		set("n4", Duration.ofMinutes(-10));
		awaitHeard();
		for (int i = 0; i < 100; i++) {
			String behind = (i % 2 == 0) ? "n4" : "n0";
			new Pair("behind-" + i % 7, behind, behind.equals("n4") ? "n0" : "n4", "n" + i % NODES, "value-" + i)
				.run(new Random(seed + i));
		}
		assertThat(ready("n4")).isEqualTo(200);
	}

	@Test
	@Order(5)
	void aNodeTenMinutesAheadPoisonsNothing() throws Exception {
		requireHarmless(Duration.ofMinutes(10));
	}

	@Test
	@Order(6)
	void aNodeInTheYear2100PoisonsNothing() throws Exception {
		requireHarmless(YEAR_2100);
	}

	private static void requireHarmless(Duration ahead) throws Exception {
		String day = "day-" + ahead;
		assertThat(client("n0").with("ttl=86400").put(day, new byte[1]).statusCode()).isEqualTo(201);
		set("n4", ahead);
		NodeAnswer refused = client("n4").put("key", new byte[1]);
		assertThat(refused.statusCode()).isEqualTo(503);
		assertThat(new String(refused.body(), UTF_8)).contains("too far ahead").contains("clock");
		assertThat(ready("n4")).isEqualTo(503);
		for (int i = 0; i < 50; i++) {
			new Pair("harmless-" + i % 7, "n" + i % 4, "n" + (i + 1) % 4, "n4", "value-" + ahead + i)
				.run(new Random(seed + i));
		}
		assertThat(client("n4").get(day).statusCode()).as("has not expired").isEqualTo(200);
		requireNoJump(cluster.others("n4"));
		set("n4", Duration.ZERO);
		awaitWriting("n4");
		requireNoJump(cluster.names());
		assertThat(ready("n4")).isEqualTo(200);
	}

	@Test
	@Order(7)
	void aNodeThatStartsInTheYear2100PoisonsNothing() throws Exception {
		cluster.kill9("n4");
		set("n4", YEAR_2100);
		cluster.restart("n4");
		/*
		 * Until it has heard of others its own clock judges; nothing is written
		 * meanwhile.
		 */
		await().atMost(PATIENCE)
			.until(() -> new String(cluster.client("n4").getPath("/actuator/health").body(), UTF_8)
				.contains("\"clockBelieved\":false"));
		assertThat(ready("n4")).isEqualTo(503);
		assertThat(client("n4").put("key", new byte[1]).statusCode()).isEqualTo(503);
		requireNoJump(cluster.others("n4"));
		/*
		 * At its start it had nothing but its own clock to record a ceiling by; a kill
		 * before it takes that back would have its next start refused.
		 */
		await().atMost(PATIENCE).until(() -> cluster.node("n4").logOfThisStart().contains("is taken back"));
		cluster.kill9("n4");
		set("n4", Duration.ZERO);
		cluster.restart("n4");
		awaitWriting("n4");
		requireNoJump(cluster.names());
	}

	private static void requireNoJump(List<String> names) throws Exception {
		for (String name : names) {
			for (int i = 0; i < 10; i++) {
				NodeAnswer answer = client(name).put("jump-" + i, new byte[1]);
				assertThat(answer.statusCode()).as("%s: %s", name, new String(answer.body(), UTF_8)).isEqualTo(201);
				assertThat(Stamps.millis(Stamps.of(answer))).as("a stamp of " + name)
					.isLessThan(System.currentTimeMillis() + MAX_SKEW_MILLIS);
			}
		}
	}

	private static NodeClient client(String name) {
		return cluster.client(name).with("replicas=2/3");
	}

	private static void set(String name, Duration ahead) throws IOException {
		Objects.requireNonNull(CLOCKS.get(name)).set(ahead);
		AHEAD.put(name, ahead);
	}

	private static int ready(String name) throws Exception {
		return cluster.client(name).getPath("/actuator/health/readiness").statusCode();
	}

	private static void awaitWriting(String name) {
		await().atMost(PATIENCE).until(() -> client(name).put("writes", new byte[1]).statusCode() == 201);
	}

	/** Until each node has heard of the others' clocks since they were moved. */
	private static void awaitHeard() {
		for (String name : cluster.names()) {
			await().atMost(PATIENCE).untilAsserted(() -> {
				MeterReadings meters = MeterReadings.of(cluster.client(name));
				for (String other : cluster.others(name)) {
					assertThat(meters.sum("quorate_clock_member_offset_seconds", "member=\"" + other + "\""))
						.as("clock of %s as %s has heard it", other, name)
						.isCloseTo((double) ahead(other).minus(ahead(name)).toSeconds(), within(5.0));
				}
			});
		}
	}

	private static Duration ahead(String name) {
		return Objects.requireNonNull(AHEAD.get(name));
	}

}
