package io.quorate.storage.compaction;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.entry.Versioned;
import io.quorate.storage.manifest.TableMeta;
import io.quorate.storage.sstable.TableSummary;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Flushes random entries, merges them as the picker says until it is quiet, and measures
 * what the picker's documentation promises.
 */
class CompactionSimulationTests {

	private static final int FLUSHES = 200;

	private static final int MAX_FLUSH_ENTRIES = 400;

	private static final int VALUE_BYTES = 1000;

	private static final int TOMBSTONE_BYTES = 40;

	private static final int TABLE_ENTRIES = 1000;

	private final CompactionPicker picker = new CompactionPicker(CompactionLimits.DEFAULT);

	private final List<TableMeta> tables = new ArrayList<>();

	private final Map<Long, Map<Integer, Item>> contents = new TreeMap<>();

	private long nextNumber = 1;

	private long clock = 1;

	private long flushedBytes;

	private long mergedBytes;

	@ParameterizedTest
	@EnumSource
	void amplificationStaysWithinWhatIsPromised(Workload workload) {
		long seed = System.nanoTime();
		Random random = new Random(seed);
		for (int flush = 1; flush <= FLUSHES; flush++) {
			flush(random, workload);
			mergeUntilQuiet();
			assertQuiet(flush, "%s, seed %d, flush %d".formatted(workload, seed, flush));
		}
		double writeAmplification = (double) (this.flushedBytes + this.mergedBytes) / this.flushedBytes;
		assertThat(writeAmplification).as("write amplification, %s, seed %d", workload, seed).isBetween(1.5, 6.5);
	}

	private void assertQuiet(int flush, String description) {
		List<Run> runs = Run.of(this.tables, Set.of());
		long flushed = runs.stream().filter((run) -> run.level() == 0).count();
		assertThat(flushed).as("level 0, %s", description).isLessThanOrEqualTo(4);
		double levels = 1 + Math.log(flush) / Math.log(4);
		assertThat(runs.size()).as("runs, %s", description).isLessThanOrEqualTo((int) (1 + 3 * levels));
		long total = this.tables.stream().mapToLong((table) -> table.summary().sizeBytes()).sum();
		assertThat(total).as("space, %s", description)
			.isLessThanOrEqualTo(2 * liveBytes() + MAX_FLUSH_ENTRIES * VALUE_BYTES);
	}

	private void flush(Random random, Workload workload) {
		Map<Integer, Item> entries = new TreeMap<>();
		int count = 1 + random.nextInt(MAX_FLUSH_ENTRIES);
		for (int i = 0; i < count; i++) {
			boolean delete = random.nextInt(100) < workload.percentDeleted;
			entries.put(random.nextInt(workload.keys), new Item(this.clock++, delete));
		}
		this.flushedBytes += sizeOf(entries);
		addRun(entries, 0);
	}

	private void mergeUntilQuiet() {
		for (int tasks = 0;; tasks++) {
			assertThat(tasks).as("tasks until quiet").isLessThan(100);
			CompactionState state = new CompactionState(this.tables, Set.of(), Set.of(), Set.of(), Set.of(),
					new CompactionState.PurgeBounds(Timestamp.ofMillis(this.clock), Long.MAX_VALUE, 0));
			Optional<CompactionTask> task = this.picker.pick(state);
			if (task.isEmpty()) {
				assertThat(this.picker.debtBytes(state)).as("debt of what is quiet").isZero();
				return;
			}
			assertThat(this.picker.debtBytes(state)).as("debt").isGreaterThanOrEqualTo(task.get().inputBytes());
			merge(task.get());
		}
	}

	private void merge(CompactionTask task) {
		Map<Integer, Item> merged = new TreeMap<>();
		for (TableMeta table : task.inputs()) {
			Map<Integer, Item> input = contentOf(table);
			input.forEach((key, item) -> merged.merge(key, item, (a, b) -> (a.time() > b.time()) ? a : b));
		}
		this.tables.removeAll(task.inputs());
		task.inputs().forEach((table) -> this.contents.remove(table.number()));
		merged.entrySet().removeIf((entry) -> entry.getValue().deleted() && isNowhereOlder(entry));
		this.mergedBytes += sizeOf(merged);
		addRun(merged, task.outputLevel());
	}

	private boolean isNowhereOlder(Map.Entry<Integer, Item> tombstone) {
		return this.contents.values().stream().noneMatch((content) -> {
			Item other = content.get(tombstone.getKey());
			return other != null && other.time() < tombstone.getValue().time();
		});
	}

	private void addRun(Map<Integer, Item> entries, int level) {
		long run = this.nextNumber;
		Map<Integer, Item> content = new TreeMap<>();
		for (Map.Entry<Integer, Item> entry : entries.entrySet()) {
			content.put(entry.getKey(), entry.getValue());
			if (content.size() == TABLE_ENTRIES) {
				addTable(content, level, run);
				content = new TreeMap<>();
			}
		}
		if (!content.isEmpty()) {
			addTable(content, level, run);
		}
	}

	private void addTable(Map<Integer, Item> content, int level, long run) {
		long number = this.nextNumber++;
		TreeMap<Integer, Item> sorted = new TreeMap<>(content);
		long[] times = content.values().stream().mapToLong(Item::time).sorted().toArray();
		TableSummary summary = new TableSummary(
				new TableSummary.Counts(content.size(), content.values().stream().filter(Item::deleted).count(), 0),
				new TableSummary.Keys(key(sorted.firstKey()), key(sorted.lastKey())),
				new TableSummary.Times(Timestamp.ofMillis(times[0]),
						Timestamp.ofMillis(LongStream.of(times).max().orElseThrow()), Versioned.NEVER),
				number, sizeOf(content), Map.of());
		this.contents.put(number, sorted);
		this.tables.add(new TableMeta(number, level, run, summary));
	}

	private Map<Integer, Item> contentOf(TableMeta table) {
		Map<Integer, Item> content = this.contents.get(table.number());
		assertThat(content).as("content of table %d", table.number()).isNotNull();
		return content;
	}

	private long liveBytes() {
		Map<Integer, Item> live = new TreeMap<>();
		for (Map<Integer, Item> content : this.contents.values()) {
			content.forEach((key, item) -> live.merge(key, item, (a, b) -> (a.time() > b.time()) ? a : b));
		}
		live.values().removeIf(Item::deleted);
		return sizeOf(live);
	}

	private static long sizeOf(Map<Integer, Item> entries) {
		return entries.values().stream().mapToLong((item) -> item.deleted() ? TOMBSTONE_BYTES : VALUE_BYTES).sum();
	}

	private static Key key(int number) {
		return Key.of("%08d".formatted(number));
	}

	private record Item(long time, boolean deleted) {
	}

	/** The kinds of entries that a simulation writes. */
	enum Workload {

		/** Nearly every key once. */
		GROWING(10_000_000, 0),

		/** Each key again and again. */
		REPLACING(2_000, 0),

		/** More keys than a flush has, some deleted. */
		MIXED(20_000, 20),

		/** Deletions nearly as often as values. */
		DELETING(5_000, 49);

		private final int keys;

		private final int percentDeleted;

		Workload(int keys, int percentDeleted) {
			this.keys = keys;
			this.percentDeleted = percentDeleted;
		}

	}

}
