package io.quorate.coordinator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Supplier;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.clock.HybridClock;
import io.quorate.clock.NoCeiling;
import io.quorate.clock.SkewJudge;
import io.quorate.clock.Timestamp;
import io.quorate.clock.TrueTime;
import io.quorate.coordinator.RangeScan.Row;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.repair.HintSink;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

/** Four replicas over maps, and scans of them. */
abstract class QuorumScanFixture {

	static final Duration LIMIT = Duration.ofMinutes(1);

	static final Duration TIMEOUT = Duration.ofMinutes(1);

	static final Consistency MAJORITY = new Consistency(2, 3);

	final ScriptedNetwork lines = new ScriptedNetwork();

	final MemoryReplica a = new MemoryReplica("a", this.lines);

	final MemoryReplica b = new MemoryReplica("b", this.lines);

	final MemoryReplica c = new MemoryReplica("c", this.lines);

	final MemoryReplica d = new MemoryReplica("d", this.lines);

	final MeterRegistry meters = new SimpleMeterRegistry();

	final Admission admission = new Admission(100, 1_000_000, this.meters);

	final ScriptedSuspects suspects = new ScriptedSuspects();

	final List<QuorumCoordinator> coordinators = new ArrayList<>();

	@AfterEach
	void close() {
		this.coordinators.forEach(QuorumCoordinator::close);
	}

	void fill(int count, MemoryReplica... nodes) {
		for (int i = 0; i < count; i++) {
			hold(live(10), "k%05d".formatted(i), nodes);
		}
	}

	static void delete(int count, MemoryReplica... nodes) {
		for (int i = 0; i < count; i++) {
			hold(new Entry.Tombstone(Timestamp.ofMillis(20), 3), "k%05d".formatted(i), nodes);
		}
	}

	static void hold(Entry entry, String key, MemoryReplica... nodes) {
		for (MemoryReplica node : nodes) {
			node.put(Key.of(key), entry);
		}
	}

	static Entry live(long millis) {
		return ScriptedCluster.live(millis, 3);
	}

	static FixedLists lists(MemoryReplica... nodes) {
		return new FixedLists(nodes.length, List.of(nodes));
	}

	RangeScan scan(Consistency consistency, MemoryReplica... nodes) {
		return scan(consistency, lists(nodes));
	}

	RangeScan scan(Consistency consistency, FixedLists lists) {
		return scan(lists, request("a", null, Long.MAX_VALUE, consistency));
	}

	RangeScan scan(FixedLists lists, ScanRequest request) {
		return new QuorumScan(readServices(lists), request);
	}

	ScanRequest request(String start, @Nullable String end, long limit, Consistency consistency) {
		return request(ScanRange.ascending(Key.of(start), (end != null) ? Key.of(end) : null), false, limit,
				consistency);
	}

	ScanRequest request(ScanRange range, boolean isKeysOnly, long limit, Consistency consistency) {
		return new ScanRequest(new ScanRequest.Wanted(range, isKeysOnly, limit), consistency, TIMEOUT,
				this.admission.admit(0), new RequestTimeline(0));
	}

	ReadServices readServices(PreferenceLists lists) {
		return readServices(() -> lists, DeadlineSweep.ticking());
	}

	ReadServices readServices(Supplier<PreferenceLists> lists, DeadlineSweep deadlines) {
		SkewJudge judge = new SkewJudge(() -> ScriptedCluster.NOW, () -> 0, ScriptedCluster.MAX_SKEW);
		HybridClock clock = new HybridClock(() -> ScriptedCluster.NOW, 7, new NoCeiling(), 0);
		QuorumCoordinator coordinator = new QuorumCoordinator(
				clock, new ClusterView("a", lists, this.suspects, judge,
						new TrueTime(() -> ScriptedCluster.NOW, () -> 0), HintSink.FORGOTTEN),
				Integer.MAX_VALUE, this.meters, deadlines);
		this.coordinators.add(coordinator);
		return coordinator.readServices();
	}

	/** All records of a scan; fails if one comes twice or out of order. */
	static Map<String, Long> millis(RangeScan scan) {
		NavigableMap<String, Long> found = new TreeMap<>();
		List<Integer> sizes = new ArrayList<>();
		do {
			sizes.clear();
			StepVerifier.create(scan.nextPage().defaultIfEmpty(List.of())).consumeNextWith((page) -> {
				add(found, page);
				sizes.add(page.size());
			}).verifyComplete();
		}
		while (sizes.getFirst() > 0);
		return found;
	}

	static void add(NavigableMap<String, Long> found, List<Row> page) {
		for (Row row : page) {
			String name = row.key().toString();
			assertThat(found.isEmpty() || found.lastKey().compareTo(name) < 0).as("%s comes after all before", name)
				.isTrue();
			found.put(name, row.state().timestamp().millis());
		}
	}

}
