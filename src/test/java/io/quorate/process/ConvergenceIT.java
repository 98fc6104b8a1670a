package io.quorate.process;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * That stores are the same again after one node was away: values, deletions and what
 * expires, by comparisons alone and without anybody reading. What a node holds is told by
 * its own digest.
 */
@Tag(Scale.FULL)
class ConvergenceIT {

	private static final int KEYS = Scale.of(300, 100_000);

	private static final int MANY_KEYS = Scale.of(6_000, 1_000_000);

	private static final int FEW_KEYS = Scale.of(5, 100);

	private static final int VALUE_BYTES = 1_000;

	private static final int WRITERS = Scale.of(4, 32);

	private static final Duration WRITTEN = Duration.ofMinutes(Scale.of(3, 60));

	/* What is younger than 5 s is not compared yet. */
	private static final Duration CONVERGED = Duration.ofMinutes(Scale.of(3, 10));

	private static final Pattern TRANSFERRED = Pattern
		.compile("(?m)^quorate_repair_transferred_bytes_total\\{(?<labels>[^}]*)\\} (?<value>\\S+)$");

	private static final Pattern KIND = Pattern.compile("kind=\"(\\w+)\"");

	@Test
	void storesAreTheSameAfterAnyNodeWasAway(@TempDir Path home) throws Exception {
		try (ClusterProcesses cluster = cluster(home, "500ms").start()) {
			Workers.run(WRITERS, WRITTEN, (writer) -> {
				for (int number = writer; number < KEYS; number += WRITERS) {
					requireStatus(201,
							cluster.client(node(number)).with("replicas=3/3").put(key(number), value(number, 1)));
				}
			});
			writeWithout(cluster, "n2", 2);
			requireSame(cluster, "n2 was away");
			writeWithout(cluster, "n0", 3);
			requireSame(cluster, "n0 was away");
			assertThat(cluster.alarms()).isEmpty();
		}
	}

	/** Of four keys one is written anew, one deleted, one expires, one is as it was. */
	private static void writeWithout(ClusterProcesses cluster, String away, int version) throws Exception {
		cluster.kill9(away);
		String there = cluster.others(away).getFirst();
		Workers.run(WRITERS, WRITTEN, (writer) -> {
			NodeClient client = cluster.client(there).with("replicas=2/3");
			for (int number = writer; number < KEYS; number += WRITERS) {
				switch (number % 4) {
					case 0 -> requireStatus(201, client.put(key(number), value(number, version)));
					case 1 -> requireStatus(202, client.delete(key(number)));
					case 2 -> requireStatus(201, client.with("ttl=1").put(key(number), value(number, version)));
					default -> requireStatus(201, client.put("new-%d-%d".formatted(version, number), value(number, 0)));
				}
			}
		});
		cluster.restart(away);
	}

	@Test
	void fewDifferencesAmongManyKeysCostLittle(@TempDir Path home) throws Exception {
		try (ClusterProcesses cluster = cluster(home, "2s").start()) {
			Workers.run(WRITERS, WRITTEN, (writer) -> {
				for (int number = writer; number < MANY_KEYS; number += WRITERS) {
					requireStatus(201,
							cluster.client(node(number)).with("replicas=3/3").put(key(number), value(number, 1)));
				}
			});
			requireSame(cluster, "all were there");
			cluster.kill9("n2");
			Map<String, Double> before = transferred(cluster);
			for (int i = 0; i < FEW_KEYS; i++) {
				int number = i * (MANY_KEYS / FEW_KEYS);
				requireStatus(201, cluster.client("n0").with("replicas=2/3").put(key(number), value(number, 2)));
			}
			/*
			 * Else each round until then finds the same ranges to differ, and leaves
			 * them.
			 */
			ClusterProcesses.letSettle();
			cluster.restart("n2");
			requireSame(cluster, "a few differed");
			Map<String, Double> moved = transferred(cluster);
			moved.replaceAll((kind, bytes) -> bytes - before.getOrDefault(kind, 0.0));
			double all = moved.values().stream().mapToDouble(Double::doubleValue).sum();
			double data = (double) MANY_KEYS * (VALUE_BYTES + key(0).length());
			Scale
				.report("ConvergenceIT: %d keys of %d bytes, %d differ: %.0f bytes transferred, %.3f %% of the data, %s"
					.formatted(MANY_KEYS, VALUE_BYTES, FEW_KEYS, all, 100 * all / data, moved));
			assertThat(moved.get("entries")).as("the entries themselves")
				.isGreaterThanOrEqualTo(FEW_KEYS * VALUE_BYTES);
			// Both peers compare with n2: each may find all that differ before the other.
			assertThat(all).as("bytes transferred").isLessThan(2 * data / 100);
			assertThat(cluster.alarms()).isEmpty();
		}
	}

	private static ClusterProcesses cluster(Path home, String interval) throws Exception {
		return ClusterProcesses.in(home, 3)
			.withHeap(Scale.of("192m", "512m"))
			.withJvm(Scale.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"))
			.with("quorate.repair.hints.enabled", "false")
			.with("quorate.repair.interval", interval);
	}

	private static void requireSame(ClusterProcesses cluster, String when) {
		long began = System.nanoTime();
		StoreDigests.awaitSame(cluster, CONVERGED);
		Scale.report("ConvergenceIT: %s: the same on all nodes %d ms after the last of them was there".formatted(when,
				Duration.ofNanos(System.nanoTime() - began).toMillis()));
	}

	/** Bytes that comparisons led by nodes that are there have transferred, by kind. */
	private static Map<String, Double> transferred(ClusterProcesses cluster) throws Exception {
		Map<String, Double> sums = new TreeMap<>();
		for (String name : cluster.names()) {
			if (!cluster.node(name).isAlive()) {
				continue;
			}
			String text = NodeClient.text(cluster.client(name).getPath("/actuator/prometheus"));
			Map<String, Double> own = TRANSFERRED.matcher(text)
				.results()
				.collect(Collectors.groupingBy((series) -> kind(series.group("labels")),
						Collectors.summingDouble((series) -> Double.parseDouble(series.group("value")))));
			own.forEach((kind, bytes) -> sums.merge(kind, bytes, Double::sum));
		}
		return sums;
	}

	private static String kind(String labels) {
		Matcher kind = KIND.matcher(labels);
		assertThat(kind.find()).as(labels).isTrue();
		return kind.group(1);
	}

	private static void requireStatus(int expected, NodeAnswer answer) {
		assertThat(answer.statusCode()).as(NodeClient.text(answer)).isEqualTo(expected);
	}

	private static String node(int number) {
		return "n" + number % 3;
	}

	private static String key(int number) {
		return "key-%08d".formatted(number);
	}

	private static byte[] value(int number, int version) {
		return Contents.of(key(number), version, VALUE_BYTES);
	}

}
