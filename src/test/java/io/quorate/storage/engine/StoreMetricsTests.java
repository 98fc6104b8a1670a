package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.search.RequiredSearch;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.Compression;
import io.quorate.storage.DiskFullException;
import io.quorate.storage.PageLimit;
import io.quorate.storage.PageVerification;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ReadResult;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.StorageMeters;
import io.quorate.storage.StorageOverloadedException;
import io.quorate.storage.StorageOverloadedException.Bound;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.engine.FaultyFormat.Fault;
import io.quorate.storage.log.SegmentHeader;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.util.unit.DataSize;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** What a store does is to be seen in its meters, by the right amounts. */
class StoreMetricsTests {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private static final int FILLER_BYTES = 15_000;

	private static final int LOG_QUEUE = 8;

	private static final int LEVEL_ZERO_LIMIT = 4;

	@TempDir
	Path directory;

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	/* Amounts of bytes are those of what is written; the compressible would shrink. */
	private Compression compression = Compression.NONE;

	private final FaultyFormat format = new FaultyFormat();

	@Test
	void writesThatQueueUpBecomeOneBatchWithOneForce() {
		try (LsmStore store = open(Sync.ALWAYS); Gate gate = new Gate()) {
			CompletableFuture<ApplyResult> first = apply(store, "first", 10, gate);
			gate.awaitThread();
			List<CompletableFuture<ApplyResult>> rest = new ArrayList<>();
			for (int i = 0; i < 5; i++) {
				rest.add(apply(store, "k" + i, 10, Runnable::run));
			}
			assertThat(gauge(StorageMeters.LOG_QUEUE)).isEqualTo(5);
			gate.open();
			await(first);
			rest.forEach(TestStores::await);
			assertThat(gauge(StorageMeters.LOG_QUEUE)).isZero();
			assertThat(of(StorageMeters.LOG_BATCH).summary().count()).isEqualTo(2);
			assertThat(of(StorageMeters.LOG_BATCH).summary().totalAmount()).isEqualTo(6);
			assertThat(of(StorageMeters.LOG_BATCH).summary().max()).isEqualTo(5);
			assertThat(count(StorageMeters.LOG_FORCE)).isEqualTo(2);
			assertThat(count(StorageMeters.LOG_WAIT)).isEqualTo(6);
		}
	}

	@Test
	void writesThatComeSoonAfterOthersShareForces() {
		Duration gather = Duration.ofMillis(20);
		try (LsmStore store = open(properties(Sync.ALWAYS, gather, 1000), PurgePolicy.nothing())) {
			List<CompletableFuture<ApplyResult>> written = new ArrayList<>();
			for (int i = 0; i < 400; i++) {
				written.add(apply(store, "k" + i, 10, Runnable::run));
				if (i % 4 == 3) {
					LockSupport.parkNanos(2_000_000);
				}
			}
			written.forEach(TestStores::await);
			assertThat(of(StorageMeters.LOG_BATCH).summary().totalAmount()).isEqualTo(400);
			assertThat(count(StorageMeters.LOG_FORCE)).as("forces of 100 times four writes").isBetween(5L, 60L);
		}
	}

	@Test
	void whoeverWritesAgainOnlyAfterAnAnswerIsNotWaitedForInVain() {
		Duration gather = Duration.ofMillis(20);
		try (LsmStore store = open(properties(Sync.ALWAYS, gather, 1000), PurgePolicy.nothing())) {
			for (int round = 0; round < 60; round++) {
				List<CompletableFuture<ApplyResult>> together = new ArrayList<>();
				for (int i = 0; i < 16; i++) {
					together.add(apply(store, "k" + i, 10, Runnable::run));
				}
				together.forEach(TestStores::await);
			}
			assertThat(of(StorageMeters.LOG_WAIT).timer().mean(TimeUnit.MILLISECONDS))
				.as("of the 20 ms that each would wait for others")
				.isLessThan(10);
		}
	}

	@Test
	void whoWritesAloneWaitsForNobody() {
		try (LsmStore store = open(properties(Sync.ALWAYS, Duration.ofMillis(20), 1000), PurgePolicy.nothing())) {
			for (int i = 0; i < 20; i++) {
				put(store, "k" + i, 1, 10);
			}
			assertThat(count(StorageMeters.LOG_WAIT)).isEqualTo(20);
			assertThat(of(StorageMeters.LOG_WAIT).timer().max(TimeUnit.MILLISECONDS)).isLessThan(20);
		}
	}

	@Test
	void largeValueIsForcedBeforeTheLogThatRefersToIt() {
		try (LsmStore store = open(Sync.ALWAYS)) {
			put(store, "large", 1, 100_000);
			assertThat(count(StorageMeters.LOG_FORCE)).isEqualTo(2);
		}
	}

	@Test
	void logGrowsByWhatIsAppendedAndIsNotForcedUnlessItHasToBe() throws IOException {
		try (LsmStore store = open(Sync.NEVER)) {
			for (int i = 1; i <= 20; i++) {
				put(store, "k" + i, i, 100);
			}
			byte[] segment = Files.readAllBytes(filesIn("wal").getFirst());
			int end = segment.length;
			while (segment[end - 1] == 0) {
				end--;
			}
			int largestPadding = 7;
			assertThat(counter(StorageMeters.LOG_BYTES)).isBetween((double) end - SegmentHeader.SIZE,
					(double) end - SegmentHeader.SIZE + largestPadding);
			assertThat(count(StorageMeters.LOG_FORCE)).isZero();
		}
	}

	@Test
	void waitForTheLogIsAsLongAsItIsBusy() {
		try (LsmStore store = open(Sync.NEVER); Gate gate = new Gate()) {
			CompletableFuture<ApplyResult> first = apply(store, "first", 10, gate);
			gate.awaitThread();
			CompletableFuture<ApplyResult> second = apply(store, "second", 10, Runnable::run);
			long busyFrom = System.nanoTime();
			Awaitility.await()
				.pollInterval(Duration.ofMillis(20))
				.until(() -> System.nanoTime() - busyFrom > 50_000_000);
			gate.open();
			await(first);
			await(second);
			assertThat(of(StorageMeters.LOG_WAIT).timer().max(TimeUnit.MILLISECONDS)).isGreaterThanOrEqualTo(50);
		}
	}

	@Test
	void flushMovesMemoryToATable() throws IOException {
		try (LsmStore store = open(Sync.ALWAYS)) {
			put(store, "a", 1, 10_000);
			assertThat(gauge(StorageMeters.MEMTABLE_BYTES, "active")).isBetween(10_000.0, 11_000.0);
			assertThat(gauge(StorageMeters.TABLES, "0")).isZero();
			await(store.flush());
			double fileBytes = sizeOf(filesIn("tables"));
			assertThat(count(StorageMeters.FLUSH, "success")).isEqualTo(1);
			assertThat(counter(StorageMeters.FLUSHED_BYTES)).isEqualTo(fileBytes);
			assertThat(gauge(StorageMeters.MEMTABLE_BYTES, "active")).isZero();
			assertThat(gauge(StorageMeters.TABLES, "0")).isEqualTo(1);
			assertThat(gauge(StorageMeters.TABLE_BYTES, "0")).isEqualTo(fileBytes);
		}
	}

	@Test
	void blocksAreSmallerInTheirFileAndDecompressedAFewTimes() throws IOException {
		this.compression = Compression.LZ4;
		try (LsmStore store = open(Sync.NEVER)) {
			for (int i = 0; i < 1000; i++) {
				put(store, "k%04d".formatted(i), i + 1, 500);
			}
			await(store.flush());
			double content = counter(StorageMeters.BLOCK_BYTES, "content");
			double stored = counter(StorageMeters.BLOCK_BYTES, "stored");
			assertThat(content).isBetween(500_000.0, 560_000.0);
			assertThat(stored).isBetween(1000.0, content / 5);
			assertThat(sizeOf(filesIn("tables"))).isBetween(stored, stored + 2 * 64 * 1024);
			assertThat(gauge(StorageMeters.BLOCK_CACHE_BYTES)).isZero();
			int reads = 5000;
			for (int i = 0; i < reads; i++) {
				await(store.read(Key.of("k0500"), Runnable::run));
			}
			double decompressed = counter(StorageMeters.BLOCK_READS, "table");
			assertThat(decompressed).isBetween(1.0, reads / 5.0);
			assertThat(counter(StorageMeters.BLOCK_READS, "cache")).isEqualTo(reads - decompressed);
			assertThat(counter(StorageMeters.KEY_READS, "table")).isEqualTo(1);
			assertThat(counter(StorageMeters.KEY_READS, "cache")).isEqualTo(reads - 1);
			assertThat(gauge(StorageMeters.BLOCK_CACHE_BYTES)).isBetween(500.0, 4000.0);
			assertThat(gauge(StorageMeters.BLOCK_CACHE_LIMIT)).isEqualTo(1 << 20);
		}
	}

	@Test
	void flushThatFailsIsCountedAndItsMemtableWaits() {
		try (LsmStore store = open(Sync.ALWAYS)) {
			put(store, "a", 1, 10_000);
			double sizeBytes = gauge(StorageMeters.MEMTABLE_BYTES, "active");
			this.format.set(Fault.CREATE_FAILS);
			assertThatThrownBy(() -> await(store.flush())).isInstanceOf(StorageFailedException.class);
			assertThat(count(StorageMeters.FLUSH, "failed")).isPositive();
			assertThat(count(StorageMeters.FLUSH, "success")).isZero();
			assertThat(gauge(StorageMeters.MEMTABLES_WAITING)).isEqualTo(1);
			assertThat(gauge(StorageMeters.MEMTABLE_BYTES, "waiting")).isEqualTo(sizeBytes);
			this.format.set(Fault.NONE);
			await(store.flush());
			assertThat(gauge(StorageMeters.MEMTABLES_WAITING)).isZero();
			assertThat(gauge(StorageMeters.MEMTABLE_BYTES, "waiting")).isZero();
		}
	}

	@Test
	void compactionReadsItsInputsAndWritesItsOutputs() throws IOException {
		try (LsmStore store = open(Sync.ALWAYS)) {
			put(store, "a", 1, 1000);
			await(store.flush());
			put(store, "b", 2, 1000);
			await(store.flush());
			await(store.compacted());
			assertThat(count(StorageMeters.COMPACTION, "success")).isEqualTo(1);
			assertThat(count(StorageMeters.COMPACTION, "failed")).isZero();
			assertThat(counter(StorageMeters.COMPACTED_BYTES, "read")).isEqualTo(counter(StorageMeters.FLUSHED_BYTES));
			double written = counter(StorageMeters.COMPACTED_BYTES, "written");
			assertThat(written).isPositive().isEqualTo(gauge(StorageMeters.TABLE_BYTES, "1"));
			Awaitility.await().atMost(PATIENCE).until(() -> filesIn("tables").size() == 1);
			assertThat(sizeOf(filesIn("tables"))).isEqualTo(written);
			assertThat(gauge(StorageMeters.TABLES, "0")).isZero();
			assertThat(gauge(StorageMeters.TABLES, "1")).isEqualTo(1);
			assertThat(gauge(StorageMeters.COMPACTION_DEBT)).isZero();
			assertThat(gauge(StorageMeters.COMPACTIONS_RUNNING)).isZero();
		}
	}

	@Test
	void compactionThatFailsIsCountedAndUnderWayUntilItIsTriedAgain() {
		StorageProperties properties = properties(Sync.ALWAYS);
		try (LsmStore store = LsmStore.open(properties, PurgePolicy.nothing(), this.format)) {
			put(store, "live", 1, 10);
			for (int i = 0; i < 9; i++) {
				await(store.apply(Key.of("dead" + i), new Entry.Tombstone(Timestamp.ofMillis(2 + i), 1),
						Runnable::run));
			}
			await(store.flush());
		}
		this.format.set(Fault.CREATE_FAILS);
		try (LsmStore _ = open(properties, PurgePolicy.alone(() -> 0))) {
			Awaitility.await().atMost(PATIENCE).until(() -> count(StorageMeters.COMPACTION, "failed") == 1);
			assertThat(gauge(StorageMeters.COMPACTIONS_RUNNING)).isEqualTo(1);
			assertThat(gauge(StorageMeters.COMPACTION_DEBT)).isZero();
			assertThat(counter(StorageMeters.COMPACTED_BYTES, "read")).isZero();
			assertThat(gauge(StorageMeters.TABLES, "0")).isEqualTo(1);
		}
	}

	@Test
	void readThatMemoryAnswersProbesNoTable() {
		try (LsmStore store = open(Sync.NEVER)) {
			put(store, "a", 1, 10);
			await(store.read(Key.of("a"), Runnable::run));
			await(store.read(Key.of("nowhere"), Runnable::run));
			assertThat(count(StorageMeters.READ, "memory")).isEqualTo(2);
			assertThat(count(StorageMeters.READ, "table")).isZero();
			assertThat(of(StorageMeters.READ_TABLES).summary().count()).isZero();
			assertThat(count(StorageMeters.READ_WAIT)).isZero();
		}
	}

	@Test
	void readOfAKeyThatIsInThreeTablesProbesThree() {
		try (LsmStore store = open(Sync.NEVER)) {
			openTables(store, 3);
			assertThat(await(store.read(Key.of("k"), Runnable::run))).isInstanceOf(ReadResult.Found.class);
			assertThat(of(StorageMeters.READ_TABLES).summary().count()).isEqualTo(1);
			assertThat(of(StorageMeters.READ_TABLES).summary().totalAmount()).isEqualTo(3);
			assertThat(counter(StorageMeters.BLOOM, "found")).isEqualTo(3);
			assertThat(counter(StorageMeters.BLOOM, "false_positive")).isZero();
			assertThat(count(StorageMeters.READ, "table")).isEqualTo(1);
			assertThat(count(StorageMeters.READ, "memory")).isZero();
			assertThat(count(StorageMeters.READ_WAIT)).isEqualTo(1);
		}
	}

	@Test
	void everyTableThatCouldHaveAnAbsentKeyIsExcludedOrProbedInVain() {
		int keys = 2000;
		try (LsmStore store = open(Sync.NEVER)) {
			for (int i = 0; i < keys; i++) {
				put(store, "k" + i, i + 1, 10);
			}
			await(store.flush());
			for (int i = 0; i < keys; i++) {
				assertThat(await(store.read(Key.of("k" + i + "?"), Runnable::run)))
					.isInstanceOf(ReadResult.Absent.class);
			}
			double inVain = counter(StorageMeters.BLOOM, "false_positive");
			assertThat(inVain).isBetween(1.0, keys * 0.05);
			assertThat(counter(StorageMeters.BLOOM, "found")).isZero();
			assertThat(count(StorageMeters.READ, "table")).isEqualTo((long) inVain);
			assertThat(count(StorageMeters.READ, "memory")).isEqualTo((long) (keys - inVain));
			long outOfBounds = Stream.iterate(0, (i) -> i + 1)
				.limit(keys)
				.filter((i) -> ("k" + i + "?").compareTo("k999") > 0)
				.count();
			assertThat(counter(StorageMeters.BLOOM, "excluded")).isEqualTo(keys - inVain - outOfBounds);
		}
	}

	@Test
	void readsThatFindNoThreadWait() {
		// Of two reader threads pages have one.
		try (LsmStore store = open(Sync.NEVER); Gate gate = new Gate()) {
			put(store, "a", 1, 10);
			await(store.flush());
			List<CompletableFuture<?>> reads = new ArrayList<>();
			reads.add(store.page(Key.of("a"), null, new PageLimit(10, 1000, 10), gate));
			gate.awaitThread();
			reads.add(store.page(Key.of("a"), null, new PageLimit(10, 1000, 10), Runnable::run));
			assertThat(gauge(StorageMeters.READ_QUEUE)).isEqualTo(1);
			assertThat(count(StorageMeters.READ_WAIT)).isEqualTo(1);
			gate.open();
			reads.forEach(TestStores::await);
			assertThat(gauge(StorageMeters.READ_QUEUE)).isZero();
			assertThat(count(StorageMeters.READ_WAIT)).isEqualTo(2);
		}
	}

	@Test
	void pageThatIsInMemoryIsReadByWhoAsks() {
		try (LsmStore store = open(Sync.NEVER); Gate first = new Gate(); Gate second = new Gate()) {
			put(store, "large", 1, 100_000);
			put(store, "b", 2, 10);
			await(store.flush());
			CompletableFuture<?> large = store.read(Key.of("large"), first);
			CompletableFuture<?> other = store.read(Key.of("large"), second);
			first.awaitThread();
			second.awaitThread();
			assertThat(store.read(Key.of("b"), Runnable::run)).as("no reader is free")
				.isCompletedWithValueMatching((result) -> result instanceof ReadResult.Found);
			assertThat(count(StorageMeters.READ_WAIT)).isEqualTo(2);
			assertThat(count(StorageMeters.READ, "table")).isEqualTo(3);
			first.open();
			second.open();
			await(large);
			await(other);
		}
	}

	@Test
	void pageThatNobodyHasVerifiedIsReadByAReader() {
		try (LsmStore store = open(Sync.NEVER)) {
			for (int i = 0; i < 1000; i++) {
				put(store, "k%03d".formatted(i), i + 1, 1000);
			}
			await(store.flush());
			for (int i = 0; i < 1000; i += 100) {
				await(store.read(Key.of("k%03d".formatted(i)), Runnable::run));
			}
			double firstReads = count(StorageMeters.READ_WAIT);
			assertThat(firstReads).isPositive();
			for (int i = 0; i < 1000; i += 100) {
				await(store.read(Key.of("k%03d".formatted(i)), Runnable::run));
			}
			assertThat((double) count(StorageMeters.READ_WAIT)).isEqualTo(firstReads);
			assertThat(count(StorageMeters.READ, "table")).isEqualTo(20);
		}
	}

	@Test
	void largeValueOfAnEntryInATableIsReadByAReader() {
		try (LsmStore store = open(Sync.ALWAYS)) {
			put(store, "large", 1, 100_000);
			await(store.flush());
			await(store.read(Key.of("large"), Runnable::run));
			await(store.read(Key.of("large"), Runnable::run));
			assertThat(count(StorageMeters.READ_WAIT)).isEqualTo(2);
			assertThat(count(StorageMeters.READ, "table")).isEqualTo(2);
			assertThat(of(StorageMeters.READ_TABLES).summary().count()).as("each probed the table once").isEqualTo(2);
		}
	}

	@Test
	void largeValueIsReadByAReaderThreadAndProbesNoTable() {
		try (LsmStore store = open(Sync.ALWAYS)) {
			put(store, "large", 1, 100_000);
			await(store.read(Key.of("large"), Runnable::run));
			assertThat(count(StorageMeters.READ, "table")).isEqualTo(1);
			assertThat(of(StorageMeters.READ_TABLES).summary().count()).isZero();
		}
	}

	@Test
	void valuesThatNothingRefersToAreGarbageUntilTheyAreCollected() throws IOException {
		int frameBytes = 8;
		int headerBytes = 16;
		try (LsmStore store = open(Sync.ALWAYS)) {
			put(store, "b", 1, 500_000);
			await(store.flush());
			put(store, "a", 2, 300_000);
			put(store, "a", 3, 300_000);
			put(store, "next file", 4, 100_000);
			assertThat(gauge(StorageMeters.VALUE_BYTES, "garbage")).as("memory may refer to all").isZero();
			assertThat(gauge(StorageMeters.VALUE_BYTES, "live")).isEqualTo(sizeOf(filesIn("values")))
				.isEqualTo(1_200_000 + 4 * frameBytes + 2 * headerBytes);
			await(store.flush());
			assertThat(gauge(StorageMeters.VALUE_BYTES, "garbage")).isEqualTo(300_000 + 3 * frameBytes + headerBytes);
			assertThat(gauge(StorageMeters.VALUE_BYTES, "live")).isEqualTo(900_000 + frameBytes + headerBytes);
			put(store, "a", 5, 10);
			put(store, "enough for a merge", 6, 1_000_000);
			await(store.flush());
			await(store.compacted());
			Awaitility.await().atMost(PATIENCE).until(() -> filesIn("values").size() == 2);
			assertThat(gauge(StorageMeters.VALUE_BYTES, "garbage")).as("but for frame and header")
				.isEqualTo(frameBytes + headerBytes);
			assertThat(gauge(StorageMeters.VALUE_BYTES, "live")).isEqualTo(1_600_000 + 2 * frameBytes + headerBytes);
			assertThat(counter(StorageMeters.COMPACTED_BYTES, "written")).as("the value of b has moved")
				.isGreaterThanOrEqualTo(500_000);
		}
	}

	@Test
	void aDamagedPageIsOneChecksumFailureAndItsTableIsReadNoMore() throws IOException {
		try (LsmStore store = open(Sync.NEVER)) {
			for (int i = 0; i < 1000; i++) {
				put(store, "k" + i, i + 1, 100);
			}
		}
		damage(filesIn("tables").getFirst(), 3);
		try (LsmStore store = open(Sync.NEVER)) {
			assertThat(counter(StorageMeters.CHECKSUM_FAILURES)).isZero();
			int refused = 0;
			for (int i = 0; i < 1000; i++) {
				try {
					await(store.read(Key.of("k" + i), Runnable::run));
				}
				catch (StorageCorruptedException damage) {
					refused++;
				}
			}
			assertThat(refused).isPositive();
			assertThat(counter(StorageMeters.CHECKSUM_FAILURES)).isOne();
			assertThat(gauge(StorageMeters.QUARANTINED)).isOne();
			assertThat(count(StorageMeters.READ, "table")).isEqualTo(1000 - refused);
		}
	}

	@Test
	void tableThatIsQuarantinedIsOneChecksumFailureHoweverOftenItIsAsked() throws IOException {
		try (LsmStore store = open(Sync.NEVER)) {
			put(store, "a", 1, 100);
		}
		Path table = filesIn("tables").getFirst();
		byte[] bytes = Files.readAllBytes(table);
		bytes[bytes.length - 40] ^= 1;
		Files.write(table, bytes);
		try (LsmStore store = open(Sync.NEVER)) {
			assertThat(counter(StorageMeters.CHECKSUM_FAILURES)).isEqualTo(1);
			assertThatThrownBy(() -> await(store.read(Key.of("a"), Runnable::run)))
				.isInstanceOf(StorageCorruptedException.class);
			assertThat(counter(StorageMeters.CHECKSUM_FAILURES)).isEqualTo(1);
		}
	}

	@Test
	void damagedValueIsAChecksumFailure() throws IOException {
		try (LsmStore store = open(Sync.NEVER)) {
			put(store, "a", 1, 100_000);
		}
		damage(filesIn("values").getFirst(), 2);
		try (LsmStore store = open(Sync.NEVER)) {
			assertThatThrownBy(() -> await(store.read(Key.of("a"), Runnable::run)))
				.isInstanceOf(StorageCorruptedException.class);
			assertThat(counter(StorageMeters.CHECKSUM_FAILURES)).isEqualTo(1);
		}
	}

	@Test
	void writesAreRefusedByTheQueueOfTheLog() {
		try (LsmStore store = open(Sync.NEVER); Gate gate = new Gate()) {
			CompletableFuture<ApplyResult> first = apply(store, "first", 10, gate);
			gate.awaitThread();
			List<CompletableFuture<ApplyResult>> queued = new ArrayList<>();
			for (int i = 0; i < LOG_QUEUE; i++) {
				queued.add(apply(store, "k" + i, 10, Runnable::run));
			}
			for (int i = 0; i < 3; i++) {
				assertThatThrownBy(() -> await(apply(store, "one more", 10, Runnable::run)))
					.isInstanceOf(StorageOverloadedException.class);
			}
			gate.open();
			await(first);
			queued.forEach(TestStores::await);
			assertRefused("queue", 3);
		}
	}

	@Test
	void largeValuesAreRefusedOnceEach() {
		try (LsmStore store = open(Sync.NEVER); Gate gate = new Gate()) {
			CompletableFuture<ApplyResult> first = apply(store, "first", 10, gate);
			gate.awaitThread();
			List<CompletableFuture<ApplyResult>> queued = new ArrayList<>();
			for (int i = 0; i < LOG_QUEUE; i++) {
				queued.add(apply(store, "k" + i, 10, Runnable::run));
			}
			assertThatThrownBy(() -> await(apply(store, "large", 100_000, Runnable::run)))
				.isInstanceOf(StorageOverloadedException.class);
			gate.open();
			await(first);
			queued.forEach(TestStores::await);
			assertRefused("queue", 1);
		}
	}

	@Test
	void writesAreRefusedByMemtablesThatCannotBeFlushed() {
		this.format.set(Fault.CREATE_FAILS);
		try (LsmStore store = open(Sync.NEVER)) {
			int refused = 0;
			for (int i = 0; refused < 3; i++) {
				try {
					put(store, "k" + i, i + 1, FILLER_BYTES);
				}
				catch (StorageOverloadedException full) {
					refused++;
				}
			}
			assertRefused("memtables", 3);
			assertThat(gauge(StorageMeters.MEMTABLES_WAITING)).isEqualTo(2);
			this.format.set(Fault.NONE);
		}
	}

	@Test
	void writesAreRefusedByTablesOfLevelZero() {
		try (LsmStore store = open(Sync.NEVER)) {
			openTables(store, LEVEL_ZERO_LIMIT);
			assertThat(gauge(StorageMeters.TABLES, "0")).isEqualTo(LEVEL_ZERO_LIMIT)
				.isEqualTo(gauge(StorageMeters.LEVEL_ZERO_LIMIT));
			assertThatThrownBy(() -> put(store, "one more", 1000, 10)).isInstanceOf(StorageOverloadedException.class);
			assertThatThrownBy(() -> put(store, "large", 1000, 100_000)).isInstanceOf(StorageOverloadedException.class);
			assertRefused("tables", 2);
		}
	}

	@Test
	void writesAreRefusedByALogThatHasFailed() {
		StorageProperties properties = properties(Sync.ALWAYS);
		StoreMetrics metrics = new StoreMetrics(this.registry);
		Recovered recovered = new Recovery(properties, this.format).run();
		try (LsmStore store = LsmStore.open(recovered, properties, PurgePolicy.nothing(), FutureStamps.KEPT, metrics)) {
			put(store, "a", 1, 10);
			assertThat(gauge(StorageMeters.FAILED)).isZero();
			recovered.manifest().close();
			Awaitility.await().atMost(PATIENCE).until(() -> gauge(StorageMeters.FAILED) == 1);
			assertThatThrownBy(() -> put(store, "b", 2, 10)).isInstanceOf(StorageFailedException.class);
			assertRefused("failed", 1);
		}
	}

	@ParameterizedTest
	@MethodSource("refusals")
	void refusalIsCountedByWhatHasRefused(RuntimeException cause, String reason) {
		try (StoreMetrics metrics = new StoreMetrics(this.registry)) {
			metrics.refused(cause);
			assertRefused(reason, 1);
		}
	}

	static Stream<Arguments> refusals() {
		return Stream.of(arguments(new StorageOverloadedException(Bound.WRITES, 1), "queue"),
				arguments(new StorageOverloadedException(Bound.LARGE_VALUES, 1), "queue"),
				arguments(new StorageOverloadedException(Bound.MEMTABLES, 1), "memtables"),
				arguments(new StorageOverloadedException(Bound.TABLES, 1), "tables"),
				arguments(new StorageOverloadedException(Bound.SEGMENTS, 0), "disk"),
				arguments(new StorageOverloadedException(Bound.SEGMENT_SECONDS, 30), "disk"),
				arguments(new DiskFullException(Path.of("data"), 1, 2), "disk"),
				arguments(new StorageFailedException("closed", null), "failed"),
				arguments(new StorageCorruptedException(Path.of("data"), 0, "damage", null), "failed"));
	}

	@Test
	void diskIsShownAsItWasLastRead() throws IOException {
		try (LsmStore _ = open(Sync.NEVER)) {
			double totalBytes = Files.getFileStore(this.directory).getTotalSpace();
			assertThat(gauge(StorageMeters.DISK_TOTAL)).isEqualTo(totalBytes);
			assertThat(gauge(StorageMeters.DISK_FREE)).isPositive().isLessThanOrEqualTo(totalBytes);
			assertThat(gauge(StorageMeters.DISK_THRESHOLD)).isEqualTo(Math.min(Math.floor(totalBytes / 10), 64 << 20));
		}
	}

	@Test
	void storeThatIsOpenedAgainIsTheOneThatIsShown() {
		try (LsmStore store = open(Sync.ALWAYS)) {
			put(store, "a", 1, 10);
			assertThat(this.registry.getMeters()).isNotEmpty();
		}
		assertThat(this.registry.getMeters()).isEmpty();
		try (LsmStore store = open(Sync.ALWAYS)) {
			assertThat(gauge(StorageMeters.TABLES, "0")).isEqualTo(1);
			assertThat(counter(StorageMeters.LOG_BYTES)).isZero();
			put(store, "b", 2, 10);
			assertThat(counter(StorageMeters.LOG_BYTES)).isPositive();
		}
	}

	@Test
	void everyMeterOfTheRoomIsThereFromTheStart() {
		try (LsmStore _ = open(Sync.ALWAYS)) {
			List<Meter.Id> meters = this.registry.getMeters()
				.stream()
				.map(Meter::getId)
				.filter((id) -> !id.getName().endsWith(".histogram"))
				.toList();
			assertThat(meters).extracting(Meter.Id::getName)
				.containsOnly(Stream.of(StorageMeters.values()).map(StorageMeters::getName).toArray(String[]::new));
			assertThat(meters).hasSizeLessThan(80);
		}
	}

	/**
	 * Tables of level 0 that all hold the key {@code k}, and of which none is due to be
	 * merged: the first is so large that the others do not matter beside it.
	 */
	private void openTables(LsmStore store, int count) {
		for (int i = 0; i < 60; i++) {
			put(store, "filler%02d".formatted(i), 100, FILLER_BYTES);
		}
		for (int i = 0; i < count; i++) {
			put(store, "k", 10 + i, 10);
			put(store, "z", 100 + i, 10);
			await(store.flush());
		}
		await(store.compacted());
		assertThat(gauge(StorageMeters.TABLES, "0")).isEqualTo(count);
	}

	private void assertRefused(String reason, int writes) {
		assertThat(counter(StorageMeters.WRITE_REFUSED, reason)).as(reason).isEqualTo(writes);
		double all = this.registry.get(StorageMeters.WRITE_REFUSED.getName())
			.counters()
			.stream()
			.mapToDouble((counter) -> counter.count())
			.sum();
		assertThat(all).as("for any reason").isEqualTo(writes);
	}

	private LsmStore open(Sync sync) {
		return open(properties(sync), PurgePolicy.nothing());
	}

	private LsmStore open(StorageProperties properties, PurgePolicy purge) {
		StoreMetrics metrics = new StoreMetrics(this.registry);
		metrics.watch(this.format.cache());
		Recovered recovered = new Recovery(properties, this.format.telling(metrics), (_) -> false, metrics::damaged)
			.run();
		return LsmStore.open(recovered, properties, purge, FutureStamps.KEPT, metrics);
	}

	private StorageProperties properties(Sync sync) {
		return properties(sync, Duration.ZERO, LOG_QUEUE);
	}

	private StorageProperties properties(Sync sync, Duration gather, int logQueue) {
		return new StorageProperties(this.directory, DataSize.ofMegabytes(16), DataSize.ofKilobytes(16),
				DataSize.ofMegabytes(4), 2, LEVEL_ZERO_LIMIT, DataSize.ofMegabytes(16), DataSize.ofMegabytes(1),
				DataSize.ofMegabytes(64), 2, 1024, PageVerification.FIRST_TOUCH, this.compression, null,
				DataSize.ofMegabytes(1), DataSize.ofKilobytes(64), 1,
				new StorageProperties.Wal(sync, Duration.ofMillis(10), gather, DataSize.ofMegabytes(4), logQueue,
						Duration.ofMillis(20)),
				new StorageProperties.Compaction(1, DataSize.ofMegabytes(64)), StorageProperties.Recovery.STRICT,
				new StorageProperties.Scrub(Duration.ZERO, DataSize.ofGigabytes(1)));
	}

	private static void put(LsmStore store, String key, long millis, int valueBytes) {
		await(store.apply(Key.of(key), live(millis, valueBytes), Runnable::run));
	}

	private static CompletableFuture<ApplyResult> apply(LsmStore store, String key, int valueBytes,
			Executor callbacks) {
		return store.apply(Key.of(key), live(1, valueBytes), callbacks);
	}

	private static Entry live(long millis, int valueBytes) {
		byte[] value = new byte[valueBytes];
		Arrays.fill(value, (byte) 'v');
		return new Entry.Live(Timestamp.ofMillis(millis), 1, Entry.NEVER, Value.wrap(value));
	}

	private RequiredSearch of(StorageMeters meter, String... tagValues) {
		List<Tag> tags = new ArrayList<>();
		for (int i = 0; i < tagValues.length; i++) {
			tags.add(Tag.of(meter.declaration().keys().get(i), tagValues[i]));
		}
		return this.registry.get(meter.getName()).tags(tags);
	}

	private double gauge(StorageMeters meter, String... tagValues) {
		return of(meter, tagValues).gauge().value();
	}

	private double counter(StorageMeters meter, String... tagValues) {
		return of(meter, tagValues).counter().count();
	}

	private long count(StorageMeters timer, String... tagValues) {
		return of(timer, tagValues).timer().count();
	}

	private List<Path> filesIn(String name) throws IOException {
		try (Stream<Path> files = Files.list(this.directory.resolve(name))) {
			return files.sorted().toList();
		}
	}

	private static double sizeOf(List<Path> files) throws IOException {
		long size = 0;
		for (Path file : files) {
			size += Files.size(file);
		}
		return size;
	}

	/** Flips a bit where the first of so many equal parts ends. */
	private static void damage(Path file, int parts) throws IOException {
		byte[] bytes = Files.readAllBytes(file);
		bytes[bytes.length / parts] ^= 0x10;
		Files.write(file, bytes);
	}

}
