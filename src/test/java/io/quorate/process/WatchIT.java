package io.quorate.process;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Stream;

import io.quorate.client.QuorateException;
import io.quorate.client.RangeQuery;
import io.quorate.entry.Entry;
import io.quorate.process.WatchingClient.Keys;
import io.quorate.process.WatchingClient.Sign;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Clients that watch the keys of others at one node after another, in rounds: nodes are
 * killed, frozen, cut off or lose their directory, members come and go, and deletions are
 * purged after some seconds. Once all that has ended, each client knows the last version
 * of each key.
 */
@Tag(Scale.FULL)
class WatchIT {

	private static final String NAME = "WatchIT";

	private static final int ROUNDS = Integer.getInteger("quorate.rounds", Scale.of(1, 100));

	private static final int KEYS = 200;

	private static final int WRITERS = 6;

	/* Of a round. */
	private static final int FAULTS = 3;

	private static final List<String> STAYERS = List.of("n0", "n1", "n2");

	private static final String GUEST = "n3";

	private static final String SECOND_GUEST = "n4";

	private static final Duration GRACE = Duration.ofSeconds(10);

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	/* Of requests: those that wait for a frozen node end soon. */
	private static final Duration SHORT = Duration.ofSeconds(2);

	private static final Duration LIMIT = Duration.ofMinutes(3);

	private final SplittableRandom random = new SplittableRandom(Scale.seed(NAME));

	private final int firstFault = this.random.nextInt(Fault.values().length);

	private final Map<String, Integer> begun = new ConcurrentSkipListMap<>();

	private final Map<String, Integer> outcomes = WatchedWrites.outcomes();

	private final List<Long> healMillis = new ArrayList<>();

	private final List<Long> stallMillis = new ArrayList<>();

	private List<WatchingClient> clients = List.of();

	private int events;

	private int proofs;

	private int moves;

	private int stalls;

	private int gaps;

	private int earlyGaps;

	/** The faults of a cluster, each for a while. */
	private enum Fault {

		KILL, LOSE, FREEZE, FREEZE_OTHERS, CUT, CUT_OFF, KILL_ALL, CHANGE, REPLACE

	}

	/** The end of a fault. */
	@FunctionalInterface
	private interface End {

		void run() throws Exception;

	}

	@Test
	void clientsLearnTheLastVersionOfEachKeyWhateverFails(@TempDir Path home) throws Exception {
		try (ChangingCluster cluster = ChangingCluster.startWithLinks(home, 2,
				(processes) -> processes.with("quorate.storage.memtable-size", "256KB")
					.with("quorate.repair.grace-period", GRACE.toSeconds() + "s")
					.with("quorate.repair.hint-window", "5s")
					.with("quorate.repair.interval", "500ms")
					.with("quorate.coordinator.max-timeout", "5s")
					.with("quorate.clock.max-skew", "10s"))) {
			for (int round = 0; round < ROUNDS; round++) {
				round(cluster, round);
			}
			Scale.report("%s: compactions %s, horizons %s".formatted(NAME,
					meters(cluster, "quorate_storage_compaction_seconds_count"),
					meters(cluster, "quorate_purge_horizon_seconds")));
			assertThat(cluster.alarms()).isEmpty();
		}
	}

	private void round(ChangingCluster cluster, int round) throws Exception {
		String prefix = "r%d-".formatted(round);
		List<String> keys = WatchedWrites.keys(prefix, KEYS);
		try (KeyRequests requests = new KeyRequests(cluster::processes, SHORT)) {
			WatchJudge judge = new WatchJudge(requests, GRACE);
			WatchedWrites writes = new WatchedWrites(requests, judge, keys, this.outcomes);
			this.clients = clients(cluster, judge, prefix);
			List<SplittableRandom> seeds = Stream.generate(this.random::split)
				.limit(WRITERS + this.clients.size())
				.toList();
			try (Workers writing = Workers.begin(WRITERS, (number) -> writes.run(seeds.get(number)));
					Workers watching = Workers.begin(this.clients.size(),
							(number) -> this.clients.get(number).run(seeds.get(WRITERS + number)));
					Workers _ = Workers.begin(1, (_) -> {
						while (!Thread.currentThread().isInterrupted()) {
							judge.prove();
						}
					})) {
				End last = faults(cluster, round);
				writes.end();
				writing.join(LIMIT);
				last.run();
				long healed = System.nanoTime();
				this.clients.forEach(WatchingClient::settle);
				awaitLast(cluster.processes().client(stayer()).within(SHORT), judge, prefix, keys);
				await().atMost(PATIENCE).until(judge::isProven);
				await().atMost(PATIENCE).untilAsserted(() -> assertThat(this.clients).allMatch(WatchingClient::isLive));
				long most = mostMillis(judge, keys, healed);
				this.healMillis.add(most);
				this.clients.forEach(WatchingClient::end);
				watching.join(LIMIT);
				report(judge, round, most);
			}
			assertThat(judge.faults()).isEmpty();
		}
	}

	private List<WatchingClient> clients(ChangingCluster cluster, WatchJudge judge, String prefix) {
		Nodes nodes = new Nodes(cluster.processes());
		Keys all = Keys.prefix(prefix);
		Keys some = Keys.between(WatchedWrites.key(prefix, KEYS / 4), WatchedWrites.key(prefix, KEYS * 3 / 4));
		return List.of(new WatchingClient("all with values", nodes, judge, all.withValues(), true, GRACE),
				new WatchingClient("all", nodes, judge, all, true, GRACE),
				new WatchingClient("all from now", nodes, judge, all, false, GRACE),
				new WatchingClient("some", nodes, judge, some, true, GRACE),
				new WatchingClient("some from now with values", nodes, judge, some.withValues(), false, GRACE),
				new WatchingClient("one", nodes, judge, Keys.key(WatchedWrites.key(prefix, 3)), true, GRACE));
	}

	/**
	 * Three faults of a round, each of which comes in each three rounds. The first round
	 * begins with any of them.
	 * @return ends the last one
	 */
	private End faults(ChangingCluster cluster, int round) throws Exception {
		End last = () -> {
		};
		Fault[] all = Fault.values();
		for (int i = 0; i < FAULTS; i++) {
			last.run();
			pass(500, 2500);
			Fault fault = all[(this.firstFault + round * FAULTS + i) % all.length];
			this.begun.merge(fault.toString(), 1, Integer::sum);
			last = begin(cluster, fault);
			pass(200, 2500);
			if (this.random.nextInt(3) == 0) {
				blink(cluster.processes());
			}
		}
		return last;
	}

	/* Something else goes wrong meanwhile. */
	private void blink(ClusterProcesses processes) throws Exception {
		String node = stayer();
		if (processes.node(node).isAlive()) {
			this.begun.merge("blink", 1, Integer::sum);
			processes.freeze(node);
			pass(100, 1500);
			processes.thaw(node);
		}
	}

	private void pass(int least, int most) {
		new Pace(Duration.ofMillis(this.random.nextInt(least, most))).await();
	}

	private String stayer() {
		return STAYERS.get(this.random.nextInt(STAYERS.size()));
	}

	private End begin(ChangingCluster cluster, Fault fault) throws Exception {
		ClusterProcesses processes = cluster.processes();
		String node = stayer();
		List<String> others = STAYERS.stream().filter((name) -> !name.equals(node)).toList();
		Scale.report("%s: %s of %s".formatted(NAME, fault, node));
		switch (fault) {
			case KILL -> {
				processes.kill9(node);
				return () -> processes.restart(node);
			}
			case KILL_ALL -> {
				for (String each : STAYERS) {
					processes.kill9(each);
				}
				return () -> processes.start(STAYERS.toArray(String[]::new));
			}
			case LOSE -> {
				processes.kill9(node);
				return () -> {
					processes.restartWiped(node);
					cluster.awaitReady(node);
				};
			}
			case FREEZE -> {
				processes.freeze(node);
				return () -> processes.thaw(node);
			}
			case FREEZE_OTHERS -> {
				awaitStalls(node, () -> {
					for (String other : others) {
						processes.freeze(other);
					}
				});
				return () -> {
					for (String other : others) {
						processes.thaw(other);
					}
				};
			}
			case CUT -> {
				boolean isOneWay = this.random.nextBoolean();
				String other = others.get(this.random.nextInt(others.size()));
				processes.links().cut(node, other);
				if (!isOneWay) {
					processes.links().cut(other, node);
				}
				return () -> processes.links().mend(this.random.nextBoolean());
			}
			case CUT_OFF -> {
				awaitStalls(node, () -> {
					for (String other : others) {
						processes.links().cut(node, other);
						processes.links().cut(other, node);
					}
				});
				return () -> processes.links().mend(this.random.nextBoolean());
			}
			case CHANGE -> {
				change(cluster, node, false);
			}
			case REPLACE -> {
				change(cluster, node, true);
			}
		}
		return () -> {
		};
	}

	/* Clients at a node that loses its cover are told so. */
	private void awaitStalls(String node, End fault) throws Exception {
		List<WatchingClient> there = this.clients.subList(0, this.clients.size() / 2);
		there.forEach((client) -> client.stayAt(node));
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(there).allMatch((client) -> client.isAt(node, Sign.LIVE)));
		long began = System.nanoTime();
		fault.run();
		await().atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(20))
			.untilAsserted(() -> assertThat(there).allMatch((client) -> client.isAt(node, Sign.STALLED)));
		this.stallMillis.add(Duration.ofNanos(System.nanoTime() - began).toMillis());
		pass(200, 3000);
		there.forEach((client) -> client.stayAt(""));
	}

	/* A member comes, is replaced or not, and goes, and a node is killed meanwhile. */
	private void change(ChangingCluster cluster, String killed, boolean isReplaced) throws Exception {
		cluster.startCandidate(GUEST);
		long added = cluster.add(stayer(), GUEST);
		killAndRestart(cluster, killed);
		cluster.awaitStable(added + 1, "n0", "n1", "n2", GUEST);
		String leaving = GUEST;
		if (isReplaced) {
			leaving = SECOND_GUEST;
			cluster.startCandidate(SECOND_GUEST);
			long replaced = cluster.begin(stayer(), "replace",
					"\"member\":\"%s\",\"node\":\"%s\"".formatted(GUEST, cluster.address(SECOND_GUEST)));
			killAndRestart(cluster, stayer());
			cluster.awaitStable(replaced + 1, "n0", "n1", "n2", SECOND_GUEST);
			pass(0, 1000);
			cluster.discard(GUEST);
		}
		pass(500, 3000);
		long removed = cluster.remove(stayer(), leaving);
		cluster.awaitStable(removed + 1, "n0", "n1", "n2");
		pass(0, 1000);
		cluster.discard(leaving);
	}

	private void killAndRestart(ChangingCluster cluster, String name) throws Exception {
		pass(0, 1500);
		cluster.processes().kill9(name);
		cluster.processes().restart(name);
	}

	private void awaitLast(NodeClient node, WatchJudge judge, String prefix, List<String> keys) {
		await().atMost(PATIENCE).ignoreExceptionsInstanceOf(QuorateException.class).untilAsserted(() -> {
			Map<String, Entry> last = new HashMap<>();
			node.range(RangeQuery.prefix(prefix))
				.forEachRemaining((found) -> last.put(found.key(), judge.found(found)));
			List<String> faults = keys.stream()
				.flatMap(
						(key) -> this.clients.stream().map((client) -> judge.fault(client.state(), key, last.get(key))))
				.filter(Objects::nonNull)
				.toList();
			assertThat(faults).isEmpty();
		});
	}

	/* From the end of the last fault to the last news of what was acknowledged. */
	private long mostMillis(WatchJudge judge, List<String> keys, long healed) {
		long most = healed;
		for (WatchingClient client : this.clients) {
			for (String key : keys) {
				Long learned = client.learnedNanos(key);
				if (learned != null && learned - most > 0 && judge.isWritten(client.version(key))) {
					most = learned;
				}
			}
		}
		return Duration.ofNanos(most - healed).toMillis();
	}

	private void report(WatchJudge judge, int round, long most) {
		this.events += judge.events();
		this.proofs += judge.proofs();
		for (WatchingClient client : this.clients) {
			this.moves += client.moves();
			this.stalls += client.stalls();
			this.gaps += client.gaps();
			this.earlyGaps += client.earlyGaps();
		}
		Scale.report("%s: %d rounds, faults %s, last news %d ms after their end, in all %s ms, stalled after %s ms"
			.formatted(NAME, round + 1, this.begun, most, this.healMillis, this.stallMillis));
		Scale.report("%s: %d events, %d of them read, %d moves, %d stalls, %d gaps, %d of them early, %s".formatted(
				NAME, this.events, this.proofs, this.moves, this.stalls, this.gaps, this.earlyGaps, this.outcomes));
	}

	private static List<Double> meters(ChangingCluster cluster, String name) throws Exception {
		List<Double> values = new ArrayList<>();
		for (String node : STAYERS) {
			values.add(MeterReadings.of(cluster.processes().client(node)).sum(name));
		}
		return values;
	}

	/** The nodes of a cluster that serve. */
	private record Nodes(ClusterProcesses processes) implements WatchingClient.Nodes {

		@Override
		public NodeClient client(String name) {
			return this.processes.client(name);
		}

		@Override
		public String any() {
			List<String> serving = this.processes.names()
				.stream()
				.filter((name) -> this.processes.node(name).port() > 0)
				.toList();
			return serving.get(java.util.concurrent.ThreadLocalRandom.current().nextInt(serving.size()));
		}

	}

}
