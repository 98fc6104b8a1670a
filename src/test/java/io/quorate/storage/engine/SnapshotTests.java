package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import io.quorate.clock.TimeSource;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.storage.FileProgress;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ReadResult;
import io.quorate.storage.Snapshot;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageException;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.StoreOwner;
import io.quorate.storage.directory.FutureStamps;
import io.quorate.storage.directory.StoreDirectory;
import io.quorate.storage.restore.Restoration.Options;
import io.quorate.storage.restore.Restoration;
import io.quorate.storage.snapshot.SnapshotList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.util.FileSystemUtils;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Snapshots of a store, and stores that were restored from one. */
class SnapshotTests {

	private static final StoreOwner OWNER = StoreOwner.alone("n1", "test");

	private static final Options NOTHING_ELSE = new Options(Set.of("backups", "replaced"), false, "replaced", (_) -> {
	});

	private static final Options REPLACING = new Options(Set.of("backups", "replaced"), true, "replaced", (_) -> {
	});

	private static final int WRITERS = 3;

	static final int KEYS = 40;

	static final int LARGE = 20_000;

	@TempDir
	Path home;

	private final ExecutorService worker = Executors.newSingleThreadExecutor();

	private final AtomicLong stamps = new AtomicLong(1);

	private StoreDirectory directory;

	private LsmStore store;

	@BeforeEach
	void open() {
		this.directory = StoreDirectory.open(original(), OWNER, TimeSource.SYSTEM, FutureStamps.KEPT);
		this.store = TestStores.open(original(), () -> 0);
	}

	@AfterEach
	void close() {
		this.store.close();
		this.directory.close();
		this.worker.shutdown();
	}

	private Path original() {
		return this.home.resolve("store");
	}

	private Snapshot backup(String name) {
		return await(this.store.backup(this.home.resolve(name), List.of("PEERS"), FileProgress.NONE, this.worker));
	}

	/*
	 * Each writer writes its keys in turn, one after the other: all that a snapshot has
	 * of it are its first writes, none is left out.
	 */
	@ParameterizedTest
	@EnumSource(Sync.class)
	void underLoadASnapshotHoldsThePrefixOfEveryHistory(Sync sync) throws Exception {
		this.store.close();
		this.store = StoreOpening.open(TestStores.properties(original(), sync), PurgePolicy.alone(() -> 0));
		List<SnapshotLoad> writers = new ArrayList<>();
		List<Future<?>> running = new ArrayList<>();
		AtomicBoolean stopped = new AtomicBoolean();
		ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
		for (int i = 0; i < WRITERS; i++) {
			SnapshotLoad writer = new SnapshotLoad(i, () -> this.store);
			writers.add(writer);
			running.add(threads.submit(() -> writer.run(stopped)));
		}
		for (int round = 0; round < 3; round++) {
			List<Long> before = writers.stream().map((writer) -> writer.written + KEYS).toList();
			for (int i = 0; i < WRITERS; i++) {
				while (writers.get(i).written < before.get(i)) {
					LockSupport.parkNanos(1_000_000);
				}
			}
			List<Long> acknowledged = writers.stream().map((writer) -> writer.written).toList();
			Snapshot snapshot = backup("snapshot-" + round);
			assertThat(snapshot.copiedBytes()).isZero();
			List<Long> begun = writers.stream().map((writer) -> writer.begun).toList();
			Path restored = this.home.resolve("restored-" + round);
			Restoration.run(snapshot.directory(), restored, NOTHING_ELSE, FileProgress.NONE);
			try (LsmStore copy = TestStores.open(restored, () -> 0)) {
				for (int i = 0; i < WRITERS; i++) {
					long least = acknowledged.get(i);
					long most = begun.get(i);
					assertThat(writers.get(i).prefixesIn(copy)).as("between %d and %d", least, most)
						.anyMatch((count) -> count >= least && count <= most);
				}
			}
		}
		stopped.set(true);
		for (Future<?> each : running) {
			each.get(1, TimeUnit.MINUTES);
		}
		threads.shutdown();
		await(this.store.compacted());
		for (int round = 0; round < 3; round++) {
			Restoration.verify(this.home.resolve("snapshot-" + round), FileProgress.NONE);
		}
	}

	@Test
	void aSnapshotSharesFilesAndKeepsThoseThatTheStoreDrops() throws IOException {
		List<Path> tables = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			put("k" + i, large(i));
			await(this.store.flush());
		}
		put("k3", large(3));
		Snapshot snapshot = backup("snapshot");
		try (Stream<Path> files = Files.walk(snapshot.directory())) {
			files.filter((path) -> path.toString().matches(".*\\.(sst|vlog)")).forEach(tables::add);
		}
		assertThat(tables).hasSizeGreaterThan(1)
			.as("a merge may have taken some out of the store already")
			.anyMatch((path) -> links(path) == 2);
		for (int i = 0; i < 30; i++) {
			put("k" + i % 3, large(100 + i));
			await(this.store.flush());
		}
		await(this.store.compacted());
		assertThat(tables).anyMatch((path) -> links(path) == 1);
		assertThat(Restoration.verify(snapshot.directory(), FileProgress.NONE).entries()).isEqualTo(4);
	}

	private static int links(Path path) {
		try {
			return (Integer) Files.getAttribute(path, "unix:nlink");
		}
		catch (IOException failure) {
			throw new AssertionError(failure);
		}
	}

	@Test
	void aLaterWriteIsNotInTheSnapshot() throws IOException {
		put("a", large(1));
		put("b", large(2));
		Snapshot snapshot = backup("snapshot");
		long size = SnapshotList.read(snapshot.directory()).sizeBytes();
		put("a", large(3));
		put("c", "small");
		await(this.store.flush());
		assertThat(snapshot.sizeBytes()).isEqualTo(size);
		Restoration.run(snapshot.directory(), this.home.resolve("restored"), NOTHING_ELSE, FileProgress.NONE);
		try (LsmStore copy = TestStores.open(this.home.resolve("restored"), () -> 0)) {
			assertThat(read(copy, "a")).isEqualTo(large(1));
			assertThat(read(copy, "b")).isEqualTo(large(2));
			assertThat(read(copy, "c")).isNull();
		}
		assertThat(read(this.store, "a")).isEqualTo(large(3));
	}

	@Test
	void anEmptyStoreHasASnapshotToo() throws IOException {
		Restoration.run(backup("snapshot").directory(), this.home.resolve("restored"), NOTHING_ELSE, FileProgress.NONE);
		try (LsmStore copy = TestStores.open(this.home.resolve("restored"), () -> 0)) {
			assertThat(read(copy, "a")).isNull();
		}
	}

	@Test
	void aRestoredDirectoryHasDataOfItsOwnAndWaitsForAMajority() throws IOException {
		put("a", "1");
		Files.writeString(original().resolve("PEERS"), "peers");
		UUID before = this.directory.storageId();
		this.directory.settle();
		Path restored = this.home.resolve("restored");
		Restoration.run(backup("snapshot").directory(), restored, NOTHING_ELSE, FileProgress.NONE);
		try (StoreDirectory opened = StoreDirectory.open(restored, OWNER, TimeSource.SYSTEM, FutureStamps.KEPT)) {
			assertThat(opened.storageId()).isNotEqualTo(before);
			assertThat(opened.isNew()).isTrue();
		}
		assertThat(restored.resolve("PEERS")).hasContent("peers");
		assertThatExceptionOfType(StorageStartException.class)
			.isThrownBy(() -> StoreDirectory.open(restored, StoreOwner.alone("n2", "test"), TimeSource.SYSTEM,
					FutureStamps.KEPT))
			.withMessageContaining("node is 'n1' on disk");
	}

	@Test
	void aFlippedBitInAnyFileIsFoundAndNothingIsInstalled() throws IOException {
		for (int i = 0; i < 300; i++) {
			put("k" + i, "value " + i);
		}
		put("large", large(1));
		Snapshot snapshot = backup("snapshot");
		Random random = new Random(11);
		List<Path> files;
		try (Stream<Path> all = Files.walk(snapshot.directory())) {
			files = all.filter(Files::isRegularFile).toList();
		}
		assertThat(files).extracting((file) -> file.getFileName().toString().replaceAll("\\d+", ""))
			.contains("NODE", "CLOCK", "MANIFEST", "SNAPSHOT", ".sst", ".vlog");
		for (Path file : files) {
			for (int i = 0; i < 20; i++) {
				int least = file.toString().endsWith(".vlog") ? 8 : 0;
				long offset = random.nextLong(least, Files.size(file));
				requireFound(snapshot, file, offset, 1 << random.nextInt(8));
			}
		}
		Restoration.run(snapshot.directory(), this.home.resolve("restored"), NOTHING_ELSE, FileProgress.NONE);
	}

	/* The files are the store's own: each is made as it was. */
	private void requireFound(Snapshot snapshot, Path file, long offset, int bit) throws IOException {
		flip(file, offset, bit);
		Path restored = this.home.resolve("restored");
		assertThatExceptionOfType(StorageException.class).as("%s, offset %d, bit %d", file, offset, bit)
			.isThrownBy(() -> Restoration.run(snapshot.directory(), restored, NOTHING_ELSE, FileProgress.NONE));
		if (Files.exists(restored)) {
			try (Stream<Path> left = Files.list(restored)) {
				assertThat(left).extracting((path) -> path.getFileName().toString()).isSubsetOf("LOCK");
			}
		}
		flip(file, offset, bit);
	}

	private static void flip(Path file, long offset, int bit) throws IOException {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			ByteBuffer one = ByteBuffer.allocate(1);
			channel.read(one, offset);
			channel.write(ByteBuffer.wrap(new byte[] { (byte) (one.get(0) ^ bit) }), offset);
		}
	}

	@Test
	void aFileThatIsMissingOrCutIsFound() throws IOException {
		put("a", large(1));
		Snapshot snapshot = backup("snapshot");
		for (String path : SnapshotList.read(snapshot.directory()).files().keySet()) {
			Path damaged = this.home.resolve("damaged");
			FileSystemUtils.copyRecursively(snapshot.directory(), damaged);
			try (FileChannel channel = FileChannel.open(damaged.resolve(path), StandardOpenOption.WRITE)) {
				channel.truncate(channel.size() - 1);
			}
			assertThatExceptionOfType(StorageException.class).as("%s is cut", path)
				.isThrownBy(
						() -> Restoration.run(damaged, this.home.resolve("restored"), NOTHING_ELSE, FileProgress.NONE));
			Files.delete(damaged.resolve(path));
			assertThatExceptionOfType(StorageException.class).as("%s is missing", path)
				.isThrownBy(
						() -> Restoration.run(damaged, this.home.resolve("restored"), NOTHING_ELSE, FileProgress.NONE));
			FileSystemUtils.deleteRecursively(damaged);
		}
	}

	@Test
	void aDirectoryThatIsInUseOrNotEmptyIsLeftAlone() throws IOException {
		put("a", "1");
		Path snapshot = backup("snapshot").directory();
		assertThatExceptionOfType(StorageStartException.class)
			.isThrownBy(() -> Restoration.run(snapshot, original(), REPLACING, FileProgress.NONE))
			.withMessageContaining("is in use by");
		Path other = Files.createDirectories(this.home.resolve("other"));
		Files.writeString(other.resolve("thesis.txt"), "not ours");
		assertThatExceptionOfType(StorageStartException.class)
			.isThrownBy(() -> Restoration.run(snapshot, other, NOTHING_ELSE, FileProgress.NONE))
			.withMessageContaining("is not empty, there is thesis.txt");
		assertThat(other.resolve("thesis.txt")).hasContent("not ours");
	}

	@Test
	void aReplacedDirectoryIsMovedAwayAndItsBackupsStay() throws IOException {
		put("a", "1");
		Path snapshot = await(this.store.backup(Files.createDirectories(original().resolve("backups")).resolve("one"),
				List.of(), FileProgress.NONE, this.worker))
			.directory();
		put("a", "2");
		this.store.close();
		this.directory.close();
		Restoration.run(snapshot, original(), REPLACING, FileProgress.NONE);
		this.store = TestStores.open(original(), () -> 0);
		assertThat(read(this.store, "a")).isEqualTo("1");
		assertThat(snapshot).isDirectory();
		try (Stream<Path> replaced = Files.list(original().resolve("replaced"))) {
			Path old = replaced.findFirst().orElseThrow();
			try (LsmStore before = TestStores.open(old, () -> 0)) {
				assertThat(read(before, "a")).isEqualTo("2");
			}
		}
	}

	@Test
	void aDamagedSnapshotReplacesNothing() throws IOException {
		put("a", "1");
		Path snapshot = backup("snapshot").directory();
		flip(snapshot.resolve("MANIFEST"), 30, 1);
		this.store.close();
		this.directory.close();
		assertThatExceptionOfType(StorageException.class)
			.isThrownBy(() -> Restoration.run(snapshot, original(), REPLACING, FileProgress.NONE));
		this.store = TestStores.open(original(), () -> 0);
		assertThat(read(this.store, "a")).isEqualTo("1");
	}

	@Test
	void anUnfinishedSnapshotIsNotRestored() throws IOException {
		put("a", "1");
		Path snapshot = backup("snapshot").directory();
		Path unfinished = this.home.resolve("snapshot.tmp");
		Files.move(snapshot, unfinished);
		assertThatExceptionOfType(StorageStartException.class)
			.isThrownBy(
					() -> Restoration.run(unfinished, this.home.resolve("restored"), NOTHING_ELSE, FileProgress.NONE))
			.withMessageContaining("it was never finished");
		Files.move(unfinished, snapshot);
		Files.delete(snapshot.resolve(SnapshotList.FILE_NAME));
		assertThatExceptionOfType(StorageStartException.class)
			.isThrownBy(() -> Restoration.run(snapshot, this.home.resolve("restored"), NOTHING_ELSE, FileProgress.NONE))
			.withMessageContaining("is no snapshot");
	}

	@Test
	void aSnapshotWithinWhatIsToBePutAwayIsRefused() throws IOException {
		put("a", "1");
		Path restored = this.home.resolve("restored");
		Path within = restored.resolve("nightly/one");
		FileSystemUtils.copyRecursively(backup("snapshot").directory(), within);
		assertThatExceptionOfType(StorageStartException.class)
			.isThrownBy(() -> Restoration.run(within, restored, new Options(Set.of(), true, "replaced", (_) -> {
			}), FileProgress.NONE))
			.withMessageContaining("move it elsewhere");
		assertThat(Restoration.verify(within, FileProgress.NONE).entries()).isOne();
	}

	/*
	 * A process that ends in the middle leaves no identity, and so nothing that starts.
	 */
	@Test
	void aRestoreThatWasCutOffIsNotStartedWith() throws IOException {
		put("a", "1");
		Path snapshot = backup("snapshot").directory();
		Path restored = this.home.resolve("restored");
		List<Path> seen = new ArrayList<>();
		Restoration.run(snapshot, restored, new Options(Set.of(), false, "replaced", (directory) -> {
			FileSystemUtils.copyRecursively(directory, this.home.resolve("cut"));
			seen.add(directory);
		}), FileProgress.NONE);
		assertThat(seen).hasSize(1);
		assertThatExceptionOfType(StorageStartException.class)
			.isThrownBy(
					() -> StoreDirectory.open(this.home.resolve("cut"), OWNER, TimeSource.SYSTEM, FutureStamps.KEPT))
			.withMessageContaining("has not ended");
	}

	@Test
	void aFailedBackupLeavesNothing() throws IOException {
		put("a", "1");
		assertThatExceptionOfType(StorageFailedException.class).isThrownBy(() -> backup("missing/snapshot"));
		Files.createDirectories(this.home.resolve("taken/there"));
		assertThatExceptionOfType(StorageFailedException.class).isThrownBy(() -> backup("taken"));
		assertThat(this.home.resolve("taken.tmp")).doesNotExist();
		put("b", "2");
		assertThat(backup("snapshot").sequence()).isPositive();
	}

	@Test
	void nothingIsSetAsideBehindItsBack() {
		put("a", "1");
		await(this.store.setAside());
		assertThatExceptionOfType(StorageFailedException.class).isThrownBy(() -> backup("snapshot"))
			.withMessageContaining("being rebuilt");
		assertThat(this.home.resolve("snapshot")).doesNotExist();
	}

	@Test
	void aTableThatIsKnownToBeDamagedIsNotBackedUp() throws IOException {
		put("a", "1");
		await(this.store.flush());
		this.store.close();
		try (Stream<Path> tables = Files.list(original().resolve("tables"))) {
			Path table = tables.findFirst().orElseThrow();
			flip(table, Files.size(table) - 20, 1);
		}
		this.store = TestStores.open(original(), () -> 0);
		assertThatExceptionOfType(StorageCorruptedException.class).isThrownBy(() -> backup("snapshot"));
		assertThat(this.home.resolve("snapshot.tmp")).doesNotExist();
	}

	private void put(String key, String value) {
		await(this.store.apply(Key.of(key), live(value), Runnable::run));
	}

	private Entry live(String value) {
		return new Entry.Live(new Timestamp(this.stamps.incrementAndGet(), 1), 1, Entry.NEVER,
				Value.copyOf(value.getBytes(StandardCharsets.UTF_8)));
	}

	private static String large(int number) {
		return (number + ".").repeat(LARGE);
	}

	private static @Nullable String read(LsmStore from, String key) {
		return switch (await(from.read(Key.of(key), Runnable::run))) {
			case ReadResult.Found(Entry.Live live) -> new String(live.value().array(), StandardCharsets.UTF_8);
			default -> null;
		};
	}

}
