package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ReadResult;
import io.quorate.storage.StorageException;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.engine.FaultyFormat.Fault;
import io.quorate.storage.file.FaultyDisk;
import io.quorate.storage.wal.LogReplay;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The behaviour of the store when a part beneath it fails. */
class LsmStoreFailureTests {

	@TempDir
	Path directory;

	private final FaultyFormat format = new FaultyFormat();

	private long stamps = 1000;

	@ParameterizedTest
	@EnumSource(names = { "OPEN_FAILS", "OPEN_FINDS_DAMAGE", "OPEN_IS_BROKEN" })
	void tableThatCannotBeOpenedAfterItsFlushIsWrittenAnew(Fault fault) throws IOException {
		try (LsmStore store = open()) {
			put(store, "a", new byte[10]);
			this.format.set(fault);
			assertThatThrownBy(() -> await(store.flush())).isInstanceOf(RuntimeException.class);
			this.format.set(Fault.NONE);
			await(store.flush());
			assertThat(await(store.read(Key.of("a"), Runnable::run))).isInstanceOf(ReadResult.Found.class);
			assertThat(filesIn("tables")).hasSize(1);
		}
	}

	@Test
	void flushThatMetAFaultOfTheProgramIsTriedAgain() {
		try (LsmStore store = open()) {
			this.format.set(Fault.CREATE_IS_BROKEN);
			for (int i = 0; i < 40; i++) {
				put(store, "k" + i, new byte[15_000]);
			}
			this.format.set(Fault.NONE);
			Awaitility.await().until(() -> !filesIn("tables").isEmpty());
		}
	}

	@Test
	void manifestThatTakesNoEditsEndsWritesAndFillsNoDisk() throws IOException {
		StorageProperties properties = properties();
		Recovered recovered = new Recovery(properties, this.format).run();
		try (LsmStore store = StoreOpening.open(recovered, properties, PurgePolicy.alone(() -> 0))) {
			put(store, "a", new byte[10]);
			recovered.files().manifest().close();
			Awaitility.await().until(() -> store.failure() != null);
			assertThatThrownBy(() -> put(store, "b", new byte[10])).isInstanceOf(StorageFailedException.class);
			assertThatThrownBy(() -> await(store.flush())).isInstanceOf(StorageException.class);
			assertThat(filesIn("tables")).isEmpty();
		}
		try (LsmStore store = open()) {
			assertThat(await(store.read(Key.of("a"), Runnable::run))).isInstanceOf(ReadResult.Found.class);
		}
	}

	@Test
	void flushAfterTheManifestHasFailedLeavesNoTable() throws IOException {
		StorageProperties properties = properties();
		Recovered recovered = new Recovery(properties, this.format).run();
		try (LsmStore store = StoreOpening.open(recovered, properties, PurgePolicy.alone(() -> 0))) {
			put(store, "a", new byte[10]);
			this.format.set(Fault.CREATE_FAILS);
			assertThatThrownBy(() -> await(store.flush())).isInstanceOf(StorageFailedException.class);
			recovered.files().manifest().close();
			this.format.set(Fault.NONE);
			assertThatThrownBy(() -> await(store.flush())).isInstanceOf(StorageException.class);
			assertThat(filesIn("tables")).isEmpty();
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "OPEN_FAILS", "OPEN_IS_BROKEN" })
	void startThatFailsLeavesNoFileOpen(Fault fault) throws IOException {
		try (LsmStore store = open()) {
			put(store, "a", new byte[100_000]);
			await(store.flush());
		}
		this.format.set(fault);
		assertThatThrownBy(this::open).isInstanceOf(RuntimeException.class);
		assertThat(openFiles()).isEmpty();
		this.format.set(Fault.NONE);
		try (LsmStore store = open()) {
			assertThat(await(store.read(Key.of("a"), Runnable::run))).isInstanceOf(ReadResult.Found.class);
		}
	}

	@Test
	void partThatDoesNotCloseKeepsNoOtherFromClosing() throws IOException {
		StorageProperties properties = TestStores.properties(this.directory.resolve("store"), Sync.NEVER);
		Recovered recovered = new Recovery(properties, this.format).run();
		LsmStore store = StoreOpening.open(recovered, properties, PurgePolicy.alone(() -> 0));
		put(store, "a", new byte[100_000]);
		recovered.files().values().close();
		store.close();
		assertThat(recovered.files().cleaner().isTerminated()).isTrue();
		assertThat(openFiles()).isEmpty();
	}

	/** A kernel may have dropped what the first was to force, and say so once only. */
	@ParameterizedTest
	@EnumSource(names = { "ALWAYS", "INTERVAL" })
	void oneForceOfTheLogThatFailsEndsItForGood(Sync sync) throws IOException {
		AtomicBoolean failsNext = new AtomicBoolean();
		AtomicBoolean hasFailed = new AtomicBoolean();
		List<String> later = Collections.synchronizedList(new ArrayList<>());
		try (FaultyDisk disk = new FaultyDisk(this.directory, 1)) {
			disk.failForces((file) -> {
				if (hasFailed.get()) {
					later.add(file.toString());
				}
				boolean fails = file.toString().endsWith("000001.log") && failsNext.getAndSet(false);
				hasFailed.compareAndSet(false, fails);
				return fails;
			});
			disk.set(FaultyDisk.Fault.FULL_FOR_FORCES, 1);
			try (LsmStore store = open(sync)) {
				put(store, "before", new byte[10]);
				Awaitility.await().until(() -> store.durableSequence() == 1);
				failsNext.set(true);
				try {
					put(store, "unknown", new byte[10]);
				}
				catch (StorageFailedException unforced) {
					assertThat(sync).isEqualTo(Sync.ALWAYS);
					assertThat(unforced.isRefusal()).as("it may be on the disk").isFalse();
				}
				Awaitility.await().until(() -> store.failure() != null);
				for (int i = 0; i < 50; i++) {
					String key = "after" + i;
					byte[] value = new byte[(i % 2 == 0) ? 10 : 100_000];
					assertThatExceptionOfType(StorageFailedException.class).isThrownBy(() -> put(store, key, value))
						.matches(StorageFailedException::isRefusal, "nothing of it has happened");
				}
				assertThat(store.durableSequence()).isEqualTo(1);
			}
			assertThat(disk.failures()).isOne();
			assertThat(later).as("what was forced afterwards").noneMatch((file) -> file.endsWith(".log"));
		}
		try (LsmStore store = open(sync)) {
			assertThat(await(store.read(Key.of("before"), Runnable::run))).isInstanceOf(ReadResult.Found.class);
			assertThat(await(store.read(Key.of("after1"), Runnable::run))).isInstanceOf(ReadResult.Absent.class);
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "INTERVAL", "NEVER" })
	void memtableWhoseLargeValuesFoundNoRoomAtTheEndIsNotFlushed(Sync sync) throws IOException {
		try (FaultyDisk disk = new FaultyDisk(this.directory, 1)) {
			try (LsmStore store = openWithoutInterval(sync)) {
				put(store, "small", new byte[10]);
				disk.failForces((file) -> file.toString().contains(".vlog"));
				disk.set(FaultyDisk.Fault.FULL_FOR_FORCES, 1);
				put(store, "large", new byte[100_000]);
			}
			assertThat(disk.failures()).isPositive();
			assertThat(filesIn("tables")).isEmpty();
			disk.set(FaultyDisk.Fault.NONE, 0);
			try (LsmStore store = open(sync)) {
				assertThat(await(store.read(Key.of("small"), Runnable::run))).isInstanceOf(ReadResult.Found.class);
				assertThat(await(store.read(Key.of("large"), Runnable::run))).isInstanceOf(ReadResult.Found.class);
			}
			assertThat(filesIn("tables")).isNotEmpty();
		}
	}

	@Test
	void aLargeValueFromBeforeACrashIsFsyncedBeforeItsTable() throws IOException {
		Path image = this.directory.resolve("image");
		try (LsmStore store = open(Sync.NEVER)) {
			put(store, "large", new byte[100_000]);
			CrashImage.take(this.directory.resolve("store"), image);
		}
		List<String> forced = Collections.synchronizedList(new ArrayList<>());
		try (FaultyDisk disk = new FaultyDisk(image, 1)) {
			disk.failForces((file) -> {
				forced.add(String.valueOf(file.getFileName()));
				return false;
			});
			disk.set(FaultyDisk.Fault.FULL_FOR_FORCES, 1);
			try (LsmStore store = StoreOpening.open(TestStores.properties(image, Sync.NEVER),
					PurgePolicy.alone(() -> 0))) {
				await(store.flush());
			}
		}
		assertThat(forced).contains("000001.vlog", "000001.sst.tmp");
		assertThat(forced.indexOf("000001.vlog")).isLessThan(forced.indexOf("000001.sst.tmp"));
	}

	@Test
	void aRepeatedEntryWritesItsValueAnewDespiteUndetectedDamage() throws IOException {
		Path image = this.directory.resolve("image");
		Key key = Key.of("large");
		Entry entry = new Entry.Live(Timestamp.ofMillis(1), 1, Entry.NEVER, Value.wrap(new byte[100_000]));
		try (LsmStore store = open()) {
			assertThat(await(store.apply(key, entry, Runnable::run))).isEqualTo(new ApplyResult.Applied(1));
			DamagedDirectory.flip(filesIn("values").getFirst(), 50_000);
			assertThat(await(store.apply(key, entry, Runnable::run))).isEqualTo(new ApplyResult.Applied(1));
			assertThat(await(store.read(key, Runnable::run))).isEqualTo(new ReadResult.Found(entry));
			put(store, "small", new byte[10]);
			CrashImage.take(this.directory.resolve("store"), image);
		}
		try (LsmStore store = StoreOpening.open(TestStores.properties(image, Sync.ALWAYS),
				PurgePolicy.alone(() -> 0))) {
			assertThat(await(store.read(Key.of("small"), Runnable::run))).isInstanceOf(ReadResult.Found.class);
			assertThat(await(store.read(key, Runnable::run))).isEqualTo(new ReadResult.Found(entry));
		}
	}

	@Test
	void aMergeDropsNoIntactCopyForTheDamagedOneThatCameFirst() throws IOException {
		Key key = Key.of("large");
		Entry entry = new Entry.Live(Timestamp.ofMillis(1), 1, Entry.NEVER, Value.wrap(new byte[100_000]));
		try (LsmStore store = open()) {
			await(store.apply(key, entry, Runnable::run));
			await(store.flush());
			DamagedDirectory.flip(filesIn("values").getFirst(), 50_000);
			await(store.apply(key, entry, Runnable::run));
			await(store.flush());
			await(store.compacted());
			assertThat(await(store.read(key, Runnable::run))).isEqualTo(new ReadResult.Found(entry));
		}
		assertThat(filesIn("tables")).hasSize(1);
	}

	@Test
	void aLargeValueOfAnFsyncedRecordNeedsNoDiskSpaceAtTheStart() throws IOException {
		Path image = this.directory.resolve("image");
		try (LsmStore store = open()) {
			put(store, "large", new byte[100_000]);
			// Its batch says how far the log was forced.
			put(store, "small", new byte[10]);
			CrashImage.take(this.directory.resolve("store"), image);
		}
		try (FaultyDisk disk = new FaultyDisk(image, 1)) {
			disk.failForces((file) -> file.toString().contains(".vlog"));
			disk.set(FaultyDisk.Fault.FULL_FOR_FORCES, 1);
			try (LsmStore store = StoreOpening.open(TestStores.properties(image, Sync.ALWAYS),
					PurgePolicy.alone(() -> 0))) {
				assertThat(await(store.read(Key.of("large"), Runnable::run))).isInstanceOf(ReadResult.Found.class);
				assertThat(await(store.read(Key.of("small"), Runnable::run))).isInstanceOf(ReadResult.Found.class);
			}
			assertThat(disk.failures()).isZero();
		}
	}

	/** As after a force that has told the process before, and nobody else. */
	@Test
	void aRecordIsCutOffIfItsValueIsLostDespiteASuccessfulFsync() throws IOException {
		Path image = this.directory.resolve("image");
		try (LsmStore store = open(Sync.NEVER)) {
			put(store, "small", new byte[10]);
			put(store, "large", new byte[100_000]);
			CrashImage.take(this.directory.resolve("store"), image);
		}
		try (FaultyDisk disk = new FaultyDisk(image, 1)) {
			disk.failForces((file) -> {
				if (file.endsWith("000001.vlog")) {
					damage(file);
				}
				return false;
			});
			disk.set(FaultyDisk.Fault.FULL_FOR_FORCES, 1);
			try (LsmStore store = StoreOpening.open(TestStores.properties(image, Sync.NEVER),
					PurgePolicy.alone(() -> 0))) {
				assertThat(await(store.read(Key.of("small"), Runnable::run))).isInstanceOf(ReadResult.Found.class);
				assertThat(await(store.read(Key.of("large"), Runnable::run))).isInstanceOf(ReadResult.Absent.class);
			}
		}
	}

	private static void damage(Path file) {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
			channel.write(ByteBuffer.wrap(new byte[] { 1, 2, 3 }), 50_000);
		}
		catch (IOException failure) {
			throw new AssertionError(failure);
		}
	}

	@Test
	void flushThatRacesWithTheEndComesToAnEnd() {
		for (int i = 0; i < 20; i++) {
			LsmStore store = open();
			put(store, "a" + i, new byte[10]);
			CompletableFuture<Void> last = CompletableFuture.completedFuture(null);
			Thread closing = new Thread(store::close);
			closing.start();
			while (closing.isAlive()) {
				last = store.flush();
			}
			CompletableFuture<Void> ended = last;
			boolean told = await(ended.handle((_, failure) -> failure == null || isOfTheStore(failure)));
			assertThat(told).isTrue();
			assertThatThrownBy(() -> await(store.flush())).isInstanceOf(StorageFailedException.class);
		}
	}

	private static boolean isOfTheStore(Throwable failure) {
		return failure instanceof StorageException || failure.getCause() instanceof StorageException;
	}

	@Test
	void segmentThatCannotBeReadAtTheStartIsNamed() throws IOException {
		Path image = this.directory.resolve("image");
		try (LsmStore store = open()) {
			for (int i = 0; i < 10; i++) {
				put(store, "k" + i, new byte[15_000]);
			}
			CrashImage.take(this.directory.resolve("store"), image);
		}
		Path segment = image.resolve("wal/000001.log");
		LogReplay replay = new LogReplay(image.resolve("wal"), (_) -> true);
		assertThatThrownBy(() -> replay.replay(1, (_, _) -> cut(segment))).isInstanceOf(IOException.class)
			.hasMessageContaining("000001.log cannot be read");
	}

	/** What is mapped and not there any more fails as what a disk cannot read does. */
	private static void cut(Path file) {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
			channel.truncate(0);
		}
		catch (IOException failure) {
			throw new AssertionError(failure);
		}
	}

	@Test
	void logWhoseFirstSegmentIsMissingRefusesTheStart() throws IOException {
		this.format.set(Fault.CREATE_FAILS);
		Path image = this.directory.resolve("image");
		try (LsmStore store = open()) {
			for (int i = 0; i < 25; i++) {
				put(store, "k" + i, new byte[15_000]);
			}
			CrashImage.take(this.directory.resolve("store"), image);
		}
		this.format.set(Fault.NONE);
		assertThat(image.resolve("wal/000002.log")).exists();
		Files.delete(image.resolve("wal/000001.log"));
		assertThatThrownBy(
				() -> StoreOpening.open(TestStores.properties(image, Sync.ALWAYS), PurgePolicy.alone(() -> 0)))
			.isInstanceOf(StorageStartException.class)
			.hasMessageContaining("000001.log is missing");
	}

	@Test
	void deletionsOfKeysThatWereWrittenAgainAreNotMergedForEver() {
		AtomicBoolean permitted = new AtomicBoolean();
		PurgePolicy purge = new PurgePolicy() {

			@Override
			public boolean mayPurge(Key key, Timestamp timestamp, long sequence) {
				return permitted.get();
			}

			@Override
			public Timestamp purgeBefore() {
				return permitted.get() ? Timestamp.MAX : Timestamp.ZERO;
			}

			@Override
			public long purgeThrough() {
				return Long.MAX_VALUE;
			}

			@Override
			public long expiredBeforeMillis() {
				return 0;
			}

		};
		try (LsmStore store = StoreOpening.open(properties(), purge, this.format)) {
			for (int i = 0; i < 10; i++) {
				await(store.apply(Key.of("k" + i), new Entry.Tombstone(Timestamp.ofMillis(++this.stamps), 1),
						Runnable::run));
			}
			await(store.flush());
			for (int i = 0; i < 10; i++) {
				put(store, "k" + i, new byte[10]);
			}
			permitted.set(true);
			await(store.compacted());
			assertThat(await(store.read(Key.of("k3"), Runnable::run))).isInstanceOf(ReadResult.Found.class);
		}
	}

	/* Values are forced at the end, and not before in between. */
	private LsmStore openWithoutInterval(Sync sync) {
		return StoreOpening.open(TestStores.properties(this.directory.resolve("store"), sync, Duration.ofMinutes(1)),
				PurgePolicy.alone(() -> 0), this.format);
	}

	private LsmStore open(Sync sync) {
		return StoreOpening.open(TestStores.properties(this.directory.resolve("store"), sync),
				PurgePolicy.alone(() -> 0), this.format);
	}

	private LsmStore open() {
		return StoreOpening.open(properties(), PurgePolicy.alone(() -> 0), this.format);
	}

	private StorageProperties properties() {
		return TestStores.properties(this.directory.resolve("store"), Sync.ALWAYS);
	}

	private void put(LsmStore store, String key, byte[] value) {
		Entry entry = new Entry.Live(Timestamp.ofMillis(++this.stamps), 1, Entry.NEVER, Value.wrap(value));
		assertThat(await(store.apply(Key.of(key), entry, Runnable::run))).isInstanceOf(ApplyResult.Applied.class);
	}

	private List<Path> filesIn(String name) throws IOException {
		try (Stream<Path> files = Files.list(this.directory.resolve("store").resolve(name))) {
			return files.toList();
		}
	}

	private List<Path> openFiles() throws IOException {
		List<Path> open = new ArrayList<>();
		try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
			for (Path descriptor : descriptors.toList()) {
				if (Files.isSymbolicLink(descriptor)) {
					Path file = Files.readSymbolicLink(descriptor);
					if (file.startsWith(this.directory.toRealPath())) {
						open.add(file);
					}
				}
			}
		}
		return open;
	}

}
