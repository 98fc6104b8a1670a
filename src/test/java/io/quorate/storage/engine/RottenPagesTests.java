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
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.Compression;
import io.quorate.storage.PageLimit;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ReadResult;
import io.quorate.storage.ScanPage;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.StorageProperties;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Bits that flip in pages which were read before. No merge, scan or comparison takes them
 * for what was written.
 */
class RottenPagesTests {

	private static final boolean ENDURANCE = Boolean.getBoolean("quorate.endurance");

	private static final int FLIPS = ENDURANCE ? 100 : 8;

	private static final int KEYS = 1200;

	/* Enough of them for a merge with the last run. */
	private static final int REWRITTEN = 800;

	private static final int LARGE_KEYS = 3500;

	private static final PageLimit PAGE = new PageLimit(100, 1 << 20, 100);

	@TempDir
	private Path directory;

	private final long seed = ENDURANCE ? System.nanoTime() : 20_251_122;

	private final Random random = new Random(this.seed);

	private final Map<Key, Entry> expected = new TreeMap<>();

	@ParameterizedTest
	@EnumSource
	void aFlipAfterTheFirstReadIsNoticedByTheMergeOrHarmless(Compression compression) throws IOException {
		int noticed = 0;
		for (int i = 0; i < FLIPS; i++) {
			Path home = Files.createDirectory(this.directory.resolve(compression + "-" + i));
			StorageProperties properties = TestStores.properties(home, Sync.NEVER, compression);
			this.expected.clear();
			try (LsmStore store = open(properties)) {
				write(store, 0, KEYS, 1);
				await(store.flush());
				await(store.compacted());
				requireAll(store);
				long bit = flip(store, home);
				write(store, 0, REWRITTEN, 2);
				await(store.flush());
				await(store.compacted());
				assertThat(store.status().tables().quarantined()).as("seed %d, flip %d, bit %d", this.seed, i, bit)
					.isEqualTo(1);
			}
			try (LsmStore store = open(properties)) {
				noticed += requireNothingWrong(store, "seed %d, flip %d".formatted(this.seed, i));
			}
		}
		assertThat(noticed).as("answers that were refused, seed %d", this.seed).isPositive();
	}

	@ParameterizedTest
	@EnumSource
	void aFlipAfterTheFirstReadIsNoticedByScansAndComparisons(Compression compression) throws IOException {
		for (int i = 0; i < FLIPS / 2; i++) {
			Path home = Files.createDirectory(this.directory.resolve(compression + "-" + i));
			boolean compares = i % 2 == 0;
			try (LsmStore store = open(TestStores.properties(home, Sync.NEVER, compression))) {
				write(store, 0, KEYS, 1);
				await(store.flush());
				requireAll(store);
				long bit = flip(store, home);
				assertThatExceptionOfType(StorageCorruptedException.class)
					.as("seed %d, flip %d, bit %d", this.seed, i, bit)
					.isThrownBy(() -> {
						if (compares) {
							compareAll(store);
						}
						else {
							scanAll(store);
						}
					});
				assertThat(store.status().tables().quarantined()).isEqualTo(1);
			}
		}
	}

	/** What one page is worth is not that the rest of its run is never merged again. */
	@Test
	void theOthersOfARunAreMergedWithoutTheTableThatIsDamaged() throws IOException {
		StorageProperties properties = TestStores.properties(this.directory, Sync.NEVER);
		try (LsmStore store = open(properties)) {
			writeLarge(store, 0);
			long filled = sizeOfTables(store);
			assertThat(store.status().tables().all()).as("tables of the last run").isGreaterThan(2);
			flip(store, this.directory);
			assertThatExceptionOfType(StorageCorruptedException.class).isThrownBy(() -> scanAll(store));
			for (int i = 0; i < LARGE_KEYS; i += 10) {
				delete(store, i);
			}
			for (int round = 1; round <= 3; round++) {
				writeLarge(store, round);
			}
			assertThat(store.status().tables().quarantined()).isEqualTo(1);
			assertThat(sizeOfTables(store)).as("the garbage of two rounds is merged away")
				.isLessThan(2 * filled + filled / 2);
			requireLarge(store);
		}
		try (LsmStore store = open(properties)) {
			assertThat(store.status().tables().quarantined()).isEqualTo(1);
			requireLarge(store);
		}
	}

	/** All but those that {@link #delete} deletes. */
	private void writeLarge(LsmStore store, int round) {
		for (int i = 0; i < LARGE_KEYS; i++) {
			if (round == 0 || i % 10 != 0) {
				byte[] value = new byte[1000];
				this.random.nextBytes(value);
				Entry entry = new Entry.Live(Timestamp.ofMillis(1000 + round), 1, Entry.NEVER, Value.wrap(value));
				this.expected.put(key(i), entry);
				await(store.apply(key(i), entry, Runnable::run));
			}
		}
		await(store.flush());
		await(store.compacted());
	}

	private void delete(LsmStore store, int i) {
		Entry entry = new Entry.Tombstone(Timestamp.ofMillis(5000), 1);
		this.expected.put(key(i), entry);
		await(store.apply(key(i), entry, Runnable::run));
	}

	/* A deletion that was purged would read as damage: the table may hold the key. */
	private void requireLarge(LsmStore store) {
		this.expected.forEach((key, entry) -> {
			ReadResult found = await(store.read(key, Runnable::run));
			if (entry instanceof Entry.Tombstone) {
				assertThat(found instanceof ReadResult.Found(Entry.Live _)).as("%s", key).isFalse();
			}
			else {
				assertThat(found).isEqualTo(new ReadResult.Found(entry));
			}
		});
	}

	private long sizeOfTables(LsmStore store) throws IOException {
		long size = 0;
		for (Path file : liveTables(store, this.directory)) {
			size += Files.size(file);
		}
		return size;
	}

	private static LsmStore open(StorageProperties properties) {
		return StoreOpening.open(properties, PurgePolicy.alone(() -> 0));
	}

	private void write(LsmStore store, int from, int end, int round) {
		List<CompletableFuture<ApplyResult>> writes = new ArrayList<>();
		for (int i = from; i < end; i++) {
			String value = "{\"id\":%d,\"name\":\"user-%d\",\"round\":%d,\"mail\":\"%x@example.org\",\"tags\":[\"a\",\"b\"]}"
				.formatted(i, i, round, this.random.nextLong());
			Entry entry = new Entry.Live(Timestamp.ofMillis(1000L * round + i), 1, Entry.NEVER,
					Value.wrap(value.getBytes(StandardCharsets.UTF_8)));
			this.expected.put(key(i), entry);
			writes.add(store.apply(key(i), entry, Runnable::run));
		}
		writes.forEach(TestStores::await);
	}

	private static Key key(int i) {
		return Key.of("key%06d".formatted(i));
	}

	/**
	 * The files of the tables, once merges have deleted their inputs, which the last
	 * reader of a table permits.
	 */
	private static List<Path> liveTables(LsmStore store, Path home) {
		return Awaitility.await()
			.until(() -> tableFiles(home), (files) -> files.size() == store.status().tables().all());
	}

	private static List<Path> tableFiles(Path home) throws IOException {
		try (Stream<Path> files = Files.list(home.resolve("tables"))) {
			return files.sorted().toList();
		}
	}

	/** Turns one bit of some page of the first table around. */
	private long flip(LsmStore store, Path home) throws IOException {
		Path table = liveTables(store, home).getFirst();
		long pages = Files.size(table) / (64 * 1024) * (64 * 1024);
		long bit = this.random.nextLong(pages * Byte.SIZE);
		try (FileChannel channel = FileChannel.open(table, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			ByteBuffer one = ByteBuffer.allocate(1);
			channel.read(one, bit / Byte.SIZE);
			one.put(0, (byte) (one.get(0) ^ (1 << (bit % Byte.SIZE))));
			channel.write(one.flip(), bit / Byte.SIZE);
		}
		return bit;
	}

	private void requireAll(LsmStore store) {
		this.expected.forEach((key, entry) -> assertThat(await(store.read(key, Runnable::run)))
			.isEqualTo(new ReadResult.Found(entry)));
	}

	/** How many reads were refused; the others are right. */
	private int requireNothingWrong(LsmStore store, String flip) {
		int refused = 0;
		for (Map.Entry<Key, Entry> entry : this.expected.entrySet()) {
			try {
				assertThat(await(store.read(entry.getKey(), Runnable::run))).as(flip)
					.isEqualTo(new ReadResult.Found(entry.getValue()));
			}
			catch (StorageCorruptedException damage) {
				refused++;
			}
		}
		return refused;
	}

	private void scanAll(LsmStore store) {
		List<ScanPage.Item> found = new ArrayList<>();
		Key next = key(0);
		while (next != null) {
			ScanPage page = await(store.page(next, null, PAGE, Runnable::run));
			found.addAll(page.records());
			next = page.next();
		}
		assertThat(found).isEqualTo(items());
	}

	private List<ScanPage.Item> items() {
		return this.expected.entrySet()
			.stream()
			.map((entry) -> new ScanPage.Item(entry.getKey(), entry.getValue()))
			.toList();
	}

	private static void compareAll(LsmStore store) {
		@Nullable Key next = key(0);
		while (next != null) {
			next = await(store.headers(next, null, PAGE, Runnable::run)).next();
		}
	}

}
