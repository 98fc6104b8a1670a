package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.storage.Compression;
import io.quorate.storage.PageCacheFixture;
import io.quorate.storage.PageVerification;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ReadResult;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.manifest.TableMeta;
import io.quorate.storage.manifest.VersionEdit;
import io.quorate.storage.record.StoredEntry;
import io.quorate.storage.sstable.MapDbTableFormat;
import io.quorate.storage.sstable.PageCacheShare;
import io.quorate.storage.sstable.SortedTable;
import io.quorate.storage.sstable.TableBuilder;
import io.quorate.storage.sstable.TableFormat;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.util.unit.DataSize;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

class CompactorTests {

	private static final int PAGE_SIZE_BYTES = 64 * 1024;

	private static final int KEYS = 12_000;

	/* Keys of a table. */
	private static final int STEP = 1000;

	/* Done before a merge is stopped. */
	private static final int PIECES = 5;

	@TempDir
	Path directory;

	@Test
	void mergeThatWouldFillTheDiskWaitsForRoom() throws IOException {
		StorageProperties properties = TestStores.properties(this.directory, Sync.ALWAYS);
		try (LsmStore store = StoreOpening.open(properties, new NoPurge())) {
			await(store.apply(Key.of("a"), new Entry.Tombstone(Timestamp.ofMillis(1), 1), Runnable::run));
			await(store.flush());
		}
		AtomicLong free = new AtomicLong(100);
		DiskSpace disk = DiskSpace.of(this.directory, 1000, () -> new DiskSpace.Reading(1_000_000, free.get()));
		try (Recovered recovered = new Recovery(properties, new MapDbTableFormat(PageVerification.FIRST_TOUCH)).run();
				Compactor compactor = new Compactor(recovered.files(), properties, PurgePolicy.alone(() -> 0), disk,
						new BackgroundWork(properties), new StoreEvents(StoreMetrics.none(), (_) -> {
						}))) {
			await(compactor.quiet());
			assertThat(recovered.files().manifest().live().tables()).hasSize(1);
			assertThat(compactor.debtBytes()).isEqualTo(recovered.files()
				.manifest()
				.live()
				.tables()
				.values()
				.stream()
				.mapToLong((meta) -> meta.summary().sizeBytes())
				.sum());
			free.set(900_000);
			disk.refresh();
			await(compactor.quiet());
			assertThat(recovered.files().manifest().live().tables()).isEmpty();
			assertThat(compactor.debtBytes()).isZero();
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 4_000_000, 6_000_000 })
	void diskFilledByGarbageIsMergedInPiecesThatFindRoom(int room) throws IOException {
		StorageProperties properties = TestStores.properties(this.directory, Sync.ALWAYS);
		try (Recovered recovered = new Recovery(properties, new MapDbTableFormat(PageVerification.FIRST_TOUCH)).run()) {
			for (int run = 0; run < 4; run++) {
				writeRun(recovered, run, 10);
			}
		}
		long filled = sizeOfTables();
		assertThat((long) room).as("not enough to merge all at once").isLessThan(filled / 2);
		AtomicLong most = new AtomicLong(filled);
		DiskSpace disk = DiskSpace.of(this.directory, 1, () -> {
			most.accumulateAndGet(sizeOfTables(), Math::max);
			return new DiskSpace.Reading(filled + room, filled + room - sizeOfTables());
		});
		try (Recovered recovered = new Recovery(properties, new MapDbTableFormat(PageVerification.FIRST_TOUCH)).run();
				Compactor compactor = new Compactor(recovered.files(), properties, PurgePolicy.alone(() -> 0), disk,
						new BackgroundWork(properties), new StoreEvents(StoreMetrics.none(), (_) -> {
						}))) {
			compactor.wake();
			// As the housekeeping does.
			Awaitility.await().pollInterval(Duration.ofMillis(5)).until(() -> {
				disk.refresh();
				compactor.wakeForRoom();
				return compactor.running() == 0 && sizeOfTables() < filled / 3;
			});
			for (int i = 0; i < KEYS; i++) {
				requireLatest(recovered.files().views(), i);
			}
		}
		disk.refresh();
		assertThat(sizeOfTables()).isLessThan(filled / 3);
		assertThat(most.get()).isLessThan(filled + room);
		try (LsmStore store = StoreOpening.open(properties, PurgePolicy.alone(() -> 0))) {
			for (int i = 0; i < KEYS; i += 7) {
				requireLatest(store, i);
			}
		}
	}

	/**
	 * One input of a merge in pieces goes before another: what is deleted in the one and
	 * held by the other must not be back between two pieces, nor when the merge ends
	 * there.
	 */
	@Test
	void aDeletedKeyStaysDeletedDuringAndAfterAPartialCompaction() throws IOException {
		StorageProperties properties = TestStores.properties(this.directory, Sync.ALWAYS);
		try (Recovered recovered = new Recovery(properties, new MapDbTableFormat(PageVerification.FIRST_TOUCH)).run()) {
			for (int run = 0; run < 4; run++) {
				writeRun(recovered, run, STEP / 4);
			}
		}
		AtomicInteger begun = new AtomicInteger();
		AtomicReference<@Nullable Throwable> back = new AtomicReference<>();
		try (Compacting compacting = new Compacting(8_000_000, (recovered) -> {
			try {
				requireDeleted(recovered);
			}
			catch (AssertionError wrong) {
				back.set(wrong);
			}
			if (begun.incrementAndGet() > PIECES) {
				throw new IOException("the machine is going down");
			}
		})) {
			compacting.compactor.wake();
			Awaitility.await().until(() -> begun.get() > PIECES);
		}
		assertThat(back.get()).as("seen while the merge was under way").isNull();
		try (Recovered recovered = new Recovery(properties, new MapDbTableFormat(PageVerification.FIRST_TOUCH)).run()) {
			assertThat(recovered.files().manifest().live().tables().values()).as("some pieces are done")
				.anyMatch((meta) -> meta.number() > 4 * KEYS / STEP)
				.anyMatch((meta) -> meta.number() <= 4 * KEYS / STEP);
			requireDeleted(recovered);
		}
	}

	private static void requireDeleted(Recovered recovered) {
		for (int i = 0; i < KEYS; i += 10) {
			requireLatest(recovered.files().views(), i);
		}
	}

	@Test
	void aDeletionIsNeededWhileAMemtableHoldsWhatIsOlder() throws IOException {
		StorageProperties properties = TestStores.properties(this.directory, Sync.ALWAYS);
		try (Recovered recovered = new Recovery(properties, new MapDbTableFormat(PageVerification.FIRST_TOUCH)).run()) {
			recovered.files().views().<@Nullable Void>with((view) -> {
				view.active().memtable().insert(key(1), entry(1, 1));
				assertThat(view.mayHoldOlder(key(1), Timestamp.ofMillis(1002), List.of())).isTrue();
				assertThat(view.mayHoldOlder(key(1), Timestamp.ofMillis(1001), List.of())).as("the same").isTrue();
				assertThat(view.mayHoldOlder(key(1), Timestamp.ofMillis(1000), List.of())).as("newer").isFalse();
				assertThat(view.mayHoldOlder(key(2), Timestamp.ofMillis(1002), List.of())).as("another").isFalse();
				// A crash may take the newer entry from the log, and leave the older one.
				view.active().memtable().insert(key(1), entry(3, 1));
				assertThat(view.mayHoldOlder(key(1), Timestamp.ofMillis(1002), List.of())).as("hidden").isTrue();
				return null;
			});
		}
	}

	@Test
	void mergesAtOnceDoNotCountOnTheSameRoom() throws IOException {
		writeTwoDueMerges();
		CountDownLatch gate = new CountDownLatch(1);
		try (Compacting compacting = new Compacting(2_500_000, (_) -> awaitOpen(gate))) {
			Compactor compactor = compacting.compactor;
			compactor.wake();
			assertThat(compactor.running()).as("there is room for one").isEqualTo(1);
			assertThat(compactor.isWaitingForRoom()).as("the end of the other gives it back").isFalse();
			assertThat(compacting.disk.claimedBytes()).isGreaterThan(1_900_000);
			gate.countDown();
			await(compactor.quiet());
			assertThat(compacting.recovered.files().manifest().live().tables().values()).extracting(TableMeta::level)
				.doesNotContain(0);
			assertThat(compacting.disk.claimedBytes()).isZero();
		}
	}

	@Test
	void mergesWithRoomForAllAreUnderWayAtOnce() throws IOException {
		writeTwoDueMerges();
		CountDownLatch gate = new CountDownLatch(1);
		try (Compacting compacting = new Compacting(9_000_000, (_) -> awaitOpen(gate))) {
			compacting.compactor.wake();
			assertThat(compacting.compactor.running()).isEqualTo(2);
			gate.countDown();
			await(compacting.compactor.quiet());
		}
	}

	@Test
	void mergeThatFailsGivesItsRoomBack() throws IOException {
		writeTwoDueMerges();
		AtomicInteger failures = new AtomicInteger();
		try (Compacting compacting = new Compacting(2_500_000, (_) -> {
			failures.incrementAndGet();
			throw new IOException("the disk fails");
		})) {
			long room = compacting.disk.roomBytes();
			compacting.compactor.wake();
			Awaitility.await()
				.until(() -> failures.get() > 0 && compacting.disk.claimedBytes() == 0
						&& compacting.disk.roomBytes() == room);
			// The other one may have begun since, in the room that was given back.
			assertThat(compacting.compactor.running()).as("it is tried again later").isBetween(1, 2);
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	@EnabledOnOs(OS.LINUX)
	void theOutputOfAMergeIsInThePageCacheIfItsInputWas(boolean isCached) throws Exception {
		StorageProperties properties = TestStores.properties(this.directory, Sync.ALWAYS);
		try (Recovered recovered = new Recovery(properties, new MapDbTableFormat(PageVerification.FIRST_TOUCH)).run()) {
			for (int run = 0; run < 4; run++) {
				writeTable(recovered, 1, 0, KEYS);
			}
		}
		Set<Path> inputs = tables();
		for (Path input : inputs) {
			if (isCached) {
				assertThat(Files.readAllBytes(input)).isNotEmpty();
			}
			else {
				PageCacheFixture.evict(input);
				assumeThat(PageCacheFixture.secondHalves(input, PAGE_SIZE_BYTES)).as("where pages can be evicted")
					.isZero();
			}
		}
		try (Compacting compacting = new Compacting(1_000_000_000, DataSize.ofMegabytes(64), (_) -> {
		})) {
			compacting.compactor.wake();
			Awaitility.await()
				.until(() -> compacting.compactor.running() == 0 && Collections.disjoint(tables(), inputs));
			assertThat(tables()).allSatisfy((output) -> {
				double share = PageCacheFixture.secondHalves(output, PAGE_SIZE_BYTES);
				assertThat(share).isBetween(isCached ? 0.5 : 0, isCached ? 1 : 0.25);
			});
		}
	}

	private Set<Path> tables() throws IOException {
		try (Stream<Path> files = Files.list(this.directory.resolve("tables"))) {
			return files.filter((file) -> file.toString().endsWith(".sst")).collect(Collectors.toSet());
		}
	}

	/** Four runs of 500 kB of each of two levels, beside one large enough for both. */
	private void writeTwoDueMerges() throws IOException {
		StorageProperties properties = TestStores.properties(this.directory, Sync.ALWAYS);
		try (Recovered recovered = new Recovery(properties, new MapDbTableFormat(PageVerification.FIRST_TOUCH)).run()) {
			writeTable(recovered, 3, 0, KEYS);
			for (int i = 0; i < 4; i++) {
				writeTable(recovered, 1, i * 500, (i + 1) * 500);
				writeTable(recovered, 0, i * 500, (i + 1) * 500);
			}
		}
	}

	private static void writeTable(Recovered recovered, int level, int from, int end) throws IOException {
		long number = recovered.files().tables().reserve();
		try (TableBuilder builder = recovered.files()
			.tables()
			.create(number, KEYS, Compression.NONE, new PageCacheShare())) {
			for (int i = from; i < end; i++) {
				builder.add(key(i), entry(0, i));
			}
			TableMeta meta = new TableMeta(number, level, number, builder.finish());
			recovered.files().manifest().append(VersionEdit.compaction(List.of(), List.of(meta)));
		}
	}

	private static void awaitOpen(CountDownLatch gate) throws IOException {
		try {
			if (!gate.await(1, TimeUnit.MINUTES)) {
				throw new IOException("nobody has opened");
			}
		}
		catch (InterruptedException interrupted) {
			throw new IOException(interrupted);
		}
	}

	/** The fourth run deletes each tenth key, of which the others hold values. */
	private static void writeRun(Recovered recovered, int run, int shift) throws IOException {
		List<TableMeta> tables = new ArrayList<>();
		for (int from = 0; from < KEYS; from += STEP) {
			long number = recovered.files().tables().reserve();
			long runNumber = tables.isEmpty() ? number : tables.getFirst().run();
			try (TableBuilder builder = recovered.files()
				.tables()
				.create(number, KEYS, Compression.NONE, new PageCacheShare())) {
				// Tables of different runs end at different keys.
				int end = (from + STEP < KEYS) ? from + STEP - run * shift : KEYS;
				for (int i = (from == 0) ? 0 : from - run * shift; i < end; i++) {
					builder.add(key(i), entry(run, i));
				}
				tables.add(new TableMeta(number, 1, runNumber, builder.finish()));
			}
		}
		recovered.files().manifest().append(VersionEdit.compaction(List.of(), tables));
	}

	private static StoredEntry entry(int run, int i) {
		Timestamp stamp = Timestamp.ofMillis(1000L + run);
		if (run == 3 && i % 10 == 0) {
			return StoredEntry.of(new Entry.Tombstone(stamp, 1), StoredEntry.Deleted.INSTANCE);
		}
		byte[] value = new byte[1000];
		new Random(31L * i + run).nextBytes(value);
		Entry.Live live = new Entry.Live(stamp, 1, Entry.NEVER, Value.wrap(value));
		return StoredEntry.of(live, new StoredEntry.Inline(live.value()));
	}

	private static Key key(int i) {
		return Key.of("key%05d".formatted(i));
	}

	private static void requireLatest(Views views, int i) {
		StoredEntry found = views.<@Nullable StoredEntry>with((view) -> {
			StoredEntry best = null;
			for (TableHandle handle : view.tables()) {
				StoredEntry entry = handle.table().get(key(i));
				if (entry != null) {
					best = (best == null) ? entry : StoredEntry.winner(best, entry, (_, _) -> 0);
				}
			}
			return best;
		});
		if (i % 10 == 0) {
			assertThat(found == null || found.payload() instanceof StoredEntry.Deleted).isTrue();
		}
		else {
			assertThat(found).isNotNull();
			assertThat(found.timestamp()).isEqualTo(Timestamp.ofMillis(1003));
		}
	}

	private static void requireLatest(LsmStore store, int i) {
		ReadResult result = await(store.read(key(i), Runnable::run));
		if (i % 10 == 0) {
			assertThat(result instanceof ReadResult.Found(Entry.Live _)).as("key %d", i).isFalse();
		}
		else {
			assertThat(result).isInstanceOfSatisfying(ReadResult.Found.class,
					(found) -> assertThat(found.entry().timestamp()).isEqualTo(Timestamp.ofMillis(1003)));
		}
	}

	private long sizeOfTables() throws IOException {
		long size = 0;
		try (Stream<Path> files = Files.list(this.directory.resolve("tables"))) {
			for (Path file : files.toList()) {
				try {
					size += Files.size(file);
				}
				catch (NoSuchFileException gone) {
					// Deleted since.
				}
			}
		}
		return size;
	}

	@FunctionalInterface
	private interface BeforeTable {

		void create(Recovered recovered) throws IOException;

	}

	/** A compactor, up to two merges at once, and what it needs. */
	private final class Compacting implements AutoCloseable {

		private final Recovered recovered;

		private final DiskSpace disk;

		private final Compactor compactor;

		/** With so much room, whatever is written, and something before each table. */
		private Compacting(long roomBytes, BeforeTable before) throws IOException {
			this(roomBytes, DataSize.ofMegabytes(1), before);
		}

		private Compacting(long roomBytes, DataSize tableSize, BeforeTable before) throws IOException {
			StorageProperties properties = TestStores.withMerges(CompactorTests.this.directory, 2, tableSize);
			TableFormat format = new MapDbTableFormat(PageVerification.FIRST_TOUCH);
			this.recovered = new Recovery(properties, new TableFormat() {

				@Override
				public TableBuilder create(Path file, long expectedEntries, Compression compression,
						PageCacheShare share) throws IOException {
					before.create(Compacting.this.recovered);
					return format.create(file, expectedEntries, compression, share);
				}

				@Override
				public SortedTable open(Path file) throws IOException {
					return format.open(file);
				}

			}).run();
			this.disk = DiskSpace.of(CompactorTests.this.directory, 1,
					() -> new DiskSpace.Reading(1_000_000_000, roomBytes));
			this.compactor = new Compactor(this.recovered.files(), properties, PurgePolicy.alone(() -> 0), this.disk,
					new BackgroundWork(properties), new StoreEvents(StoreMetrics.none(), (_) -> {
					}));
		}

		@Override
		public void close() {
			this.compactor.close();
			this.recovered.close();
		}

	}

	private static final class NoPurge implements PurgePolicy {

		@Override
		public boolean mayPurge(Key key, Timestamp timestamp, long sequence) {
			return false;
		}

		@Override
		public Timestamp purgeBefore() {
			return Timestamp.ZERO;
		}

		@Override
		public long purgeThrough() {
			return 0;
		}

		@Override
		public long expiredBeforeMillis() {
			return 0;
		}

	}

}
