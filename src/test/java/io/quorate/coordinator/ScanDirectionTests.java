package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;

import io.quorate.clock.Timestamp;
import io.quorate.coordinator.RangeScan.Found;
import io.quorate.coordinator.RangeScan.Listed;
import io.quorate.coordinator.RangeScan.Row;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Summary;
import io.quorate.entry.Value;
import io.quorate.replica.Replica;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;

/** Scans in descending order, and scans without values. */
class ScanDirectionTests extends QuorumScanFixture {

	private static final ScanRange ALL = ScanRange.ascending(Key.of("a"), null);

	private static final ScanRange ALL_DESCENDING = ScanRange.descending(Key.of("a"), null);

	@Test
	void descendingScanHasEveryKeyOnceAtItsNewestState() {
		hold(live(10), "k1", this.a, this.b, this.c);
		hold(live(10), "k2", this.a);
		hold(live(20), "k2", this.b, this.c);
		hold(live(10), "k3", this.c, this.b);
		hold(live(10), "k4", this.a, this.b);
		hold(new Entry.Tombstone(Timestamp.ofMillis(20), 3), "k4", this.b, this.c);
		List<MemoryReplica> nodes = List.of(this.a, this.b, this.c);
		nodes.forEach((node) -> node.store.mostOnAPage = 1);
		assertThat(names(rows(scan(ALL_DESCENDING, false)))).containsExactly("k3", "k2", "k1");
		assertThat(names(rows(scan(ScanRange.descending(Key.of("k1"), Key.of("k3")), false)))).containsExactly("k2",
				"k1");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void scanWithoutValuesGivesSummariesAndAsksForNoValue(boolean isDescending) {
		Entry expiring = new Entry.Live(Timestamp.ofMillis(10), 3, Long.MAX_VALUE - 1, Value.wrap(new byte[400_000]));
		hold(expiring, "k1", this.a, this.b, this.c);
		hold(live(20), "k2", this.a, this.b, this.c);
		List<Row> rows = rows(scan(isDescending ? ALL_DESCENDING : ALL, true));
		assertThat(isDescending ? rows.reversed() : rows).containsExactly(
				new Listed(Key.of("k1"), Summary.of(expiring)), new Listed(Key.of("k2"), Summary.of(live(20))));
	}

	@Test
	void scanWithoutValuesHoldsNoBytesOfThem() {
		for (int i = 0; i < 100; i++) {
			hold(new Entry.Live(Timestamp.ofMillis(10), 3, Entry.NEVER, Value.wrap(new byte[900_000])), "k" + (100 + i),
					this.a, this.b, this.c);
		}
		RangeScan scan = scan(ALL, true);
		StepVerifier.create(scan.nextPage()).assertNext((rows) -> assertThat(rows).hasSize(100)).verifyComplete();
		assertThat(this.admission.bytes()).isBetween(400L, 10_000L);
	}

	/* There is no entry to send. */
	@Test
	void scanWithoutValuesLeavesStaleReplicasToOthers() {
		hold(live(20), "k1", this.a, this.b);
		hold(new Entry.Tombstone(Timestamp.ofMillis(20), 3), "k2", this.a, this.b);
		hold(live(10), "k2", this.c);
		assertThat(names(rows(scan(ALL, true)))).containsExactly("k1");
		assertThat(this.lines.writes).isZero();
		assertThat(names(rows(scan(ALL, false)))).containsExactly("k1");
		assertThat(this.lines.writes).isEqualTo(2);
	}

	@Test
	void nodeThatComesBackIsHeardAgainOnTheWayDown() {
		fill(3000, this.a, this.b, this.c);
		this.lines.down.add("b");
		RangeScan scan = scan(ALL_DESCENDING, false);
		List<String> found = new ArrayList<>();
		StepVerifier.create(scan.nextPage()).consumeNextWith((page) -> found.addAll(names(page))).verifyComplete();
		this.lines.down.remove("b");
		this.lines.down.add("c");
		found.addAll(names(rows(scan)));
		assertThat(found).hasSize(3000).doesNotHaveDuplicates().isSortedAccordingTo(Comparator.reverseOrder());
	}

	/*
	 * Whatever the direction, the form, the bounds and the limit, and with a node down.
	 */
	@Test
	void randomScansAreTheEntriesOfAMap() {
		long first = System.nanoTime();
		for (long seed = first; seed < first + 60; seed++) {
			Random random = new Random(seed);
			this.lines.down.clear();
			List<MemoryReplica> nodes = List.of(this.a, this.b, this.c, this.d);
			nodes.forEach((node) -> node.entries.clear());
			nodes.forEach((node) -> node.store.mostOnAPage = 1 + random.nextInt(300));
			FixedLists lists = new FixedLists(3, List.copyOf(nodes));
			NavigableMap<Key, Long> model = new TreeMap<>();
			for (int i = 0; i < 1000; i++) {
				write(random, lists, Key.of("k%04d".formatted(random.nextInt(700))), i + 1, model);
			}
			if (random.nextBoolean()) {
				this.lines.down.add(nodes.get(random.nextInt(4)).nodeId());
			}
			for (int i = 0; i < 10; i++) {
				compare(random, lists, model, "seed %d, scan %d".formatted(seed, i));
			}
		}
	}

	private void compare(Random random, FixedLists lists, NavigableMap<Key, Long> model, String what) {
		Key start = Key.of("k%04d".formatted(random.nextInt(700)));
		Key end = random.nextBoolean() ? Key.of("k%04d".formatted(random.nextInt(700))) : null;
		ScanRange range = new ScanRange(start, end, random.nextBoolean());
		if (range.isEmpty()) {
			return;
		}
		NavigableMap<Key, Long> in = (end != null) ? model.subMap(start, true, end, false) : model.tailMap(start, true);
		long limit = random.nextBoolean() ? Long.MAX_VALUE : 1 + random.nextInt(400);
		boolean isKeysOnly = random.nextBoolean();
		ScanRequest request = request(range, isKeysOnly, limit, MAJORITY);
		List<Row> rows = rows(scan(lists, request));
		request.permit().close();
		assertThat(rows.stream().map((row) -> Map.entry(row.key(), row.state().timestamp().millis()))).as(what)
			.containsExactlyElementsOf(
					(range.isDescending() ? in.descendingMap() : in).entrySet().stream().limit(limit).toList());
		assertThat(rows).as(what).allMatch((row) -> isKeysOnly ? row instanceof Listed : row instanceof Found);
	}

	/* Two or three of the three replicas take it; some values have expired. */
	private static void write(Random random, FixedLists lists, Key key, int millis, NavigableMap<Key, Long> model) {
		Entry entry = switch (random.nextInt(6)) {
			case 0 -> new Entry.Tombstone(Timestamp.ofMillis(millis), 3);
			case 1 -> new Entry.Live(Timestamp.ofMillis(millis), 3, 5000, Value.EMPTY);
			default -> live(millis);
		};
		List<Replica> replicas = new ArrayList<>(lists.listOf(key));
		if (random.nextBoolean()) {
			replicas.remove(random.nextInt(3));
		}
		replicas.forEach((replica) -> ((MemoryReplica) replica).put(key, entry));
		if (entry.isAbsentAt(ScriptedCluster.NOW)) {
			model.remove(key);
		}
		else {
			model.put(key, (long) millis);
		}
	}

	private RangeScan scan(ScanRange range, boolean isKeysOnly) {
		return scan(request(range, isKeysOnly, Long.MAX_VALUE, MAJORITY));
	}

	private RangeScan scan(ScanRequest request) {
		return scan(lists(this.a, this.b, this.c), request);
	}

	private static List<String> names(List<Row> rows) {
		return rows.stream().map((row) -> row.key().toString()).toList();
	}

	/** All that is left of a scan. */
	private static List<Row> rows(RangeScan scan) {
		List<Row> rows = new ArrayList<>();
		List<Integer> sizes = new ArrayList<>();
		do {
			sizes.clear();
			StepVerifier.create(scan.nextPage().defaultIfEmpty(List.of())).consumeNextWith((page) -> {
				rows.addAll(page);
				sizes.add(page.size());
			}).verifyComplete();
		}
		while (sizes.getFirst() > 0);
		return rows;
	}

}
