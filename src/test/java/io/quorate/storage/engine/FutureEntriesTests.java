package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.storage.Compression;
import io.quorate.storage.PageLimit;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ReadResult;
import io.quorate.storage.ScanPage;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.directory.FutureStamps;
import io.quorate.storage.manifest.Manifest;
import io.quorate.storage.manifest.TableMeta;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A start with entries on the disk that are stamped too far in the future. */
class FutureEntriesTests {

	private static final long NOW = 1_800_000_000_000L;

	private static final long FAR = NOW + Duration.ofDays(30_000).toMillis();

	private static final long MAX_SKEW = 60_000;

	@TempDir
	Path directory;

	@TempDir
	Path images;

	@Test
	void anEntryInTheLogRefusesTheStart() throws IOException {
		try (LsmStore store = open(false)) {
			put(store, "near", NOW + MAX_SKEW, 10);
			put(store, "far", NOW + MAX_SKEW + 1, 10);
			Path image = image();
			assertThatExceptionOfType(StorageStartException.class).isThrownBy(() -> open(image, false))
				.withMessageContaining(image.resolve("wal").toString())
				.withMessageContaining(Timestamp.ofMillis(NOW + MAX_SKEW + 1).toString())
				.withMessageContaining("60001 ms ahead of this machine's clock")
				.withMessageContaining("quorate.clock.drop-future-entries=true");
			assertThat(files(image.resolve("wal"))).as("the log is as it was").isNotEmpty();
			assertThat(files(image.resolve("tables"))).isEmpty();
		}
	}

	@Test
	void anEntryInATableRefusesTheStart() {
		try (LsmStore store = open(false)) {
			put(store, "far", FAR, 10);
		}
		assertThatExceptionOfType(StorageStartException.class).isThrownBy(() -> open(false))
			.withMessageContaining("000001.sst");
	}

	@Test
	void anEntryWithinTheSkewRefusesNoStartAndStays() {
		try (LsmStore store = open(false)) {
			put(store, "near", NOW + MAX_SKEW, 10);
		}
		try (LsmStore store = open(true)) {
			assertThat(stamp(store, "near")).isEqualTo(NOW + MAX_SKEW);
		}
	}

	@Test
	void entriesInTheLogAreLeftOutForGood() throws IOException {
		try (LsmStore store = open(false)) {
			put(store, "replaced", NOW, 10);
			put(store, "replaced", FAR, 10);
			put(store, "far", FAR, 10);
			await(store.apply(Key.of("deleted"), new Entry.Tombstone(Timestamp.ofMillis(FAR), 1), Runnable::run));
			Path image = image();
			open(image, true).close();
			try (LsmStore again = open(image, false)) {
				assertThat(stamp(again, "replaced")).as("is still in the log, before what replaced it").isEqualTo(NOW);
				assertThat(keys(again)).containsExactly("replaced");
				assertThat(again.newest()).isEqualTo(Timestamp.ofMillis(NOW));
				put(again, "far", NOW + 1, 10);
				assertThat(stamp(again, "far")).isEqualTo(NOW + 1);
			}
		}
	}

	@Test
	void entriesInTablesAreLeftOutForGoodWhereverTheyAre() {
		try (LsmStore store = open(false)) {
			put(store, "older", NOW, 10);
			await(store.flush());
			put(store, "far", FAR, 10);
			put(store, "beside", NOW + 1, 10);
			await(store.flush());
			put(store, "alone", FAR + 1, 10);
		}
		open(true).close();
		try (LsmStore store = open(false)) {
			assertThat(keys(store)).containsExactly("beside", "older");
			assertThat(store.newest()).isEqualTo(Timestamp.ofMillis(NOW + 1));
		}
	}

	@Test
	void aRunOfSeveralTablesIsRewrittenWhole() throws IOException {
		writeARunOfSeveralTables();
		try (LsmStore store = open(true)) {
			assertThat(keys(store)).hasSize(999).doesNotContain("key-0500");
			await(store.compacted());
		}
		try (LsmStore store = open(false)) {
			assertThat(keys(store)).hasSize(999).doesNotContain("key-0500").isSorted();
		}
	}

	private void writeARunOfSeveralTables() throws IOException {
		try (LsmStore store = open(false)) {
			for (int i = 0; i < 1000; i++) {
				put(store, "key-%04d".formatted(i), (i == 500) ? FAR : NOW, 4000);
			}
			await(store.flush());
			await(store.compacted());
		}
		try (Manifest manifest = Manifest.open(this.directory)) {
			Map<Long, Long> tables = manifest.live()
				.tables()
				.values()
				.stream()
				.collect(Collectors.groupingBy(TableMeta::run, Collectors.counting()));
			assertThat(tables.values()).anyMatch((number) -> number > 1);
		}
	}

	@Test
	void theFilesOfLargeValuesGoWithThem() throws IOException {
		try (LsmStore store = open(false)) {
			put(store, "large", FAR, 100_000);
			Path image = image();
			open(image, true).close();
			open(image, false).close();
			assertThat(files(image.resolve("values"))).isEmpty();
		}
		open(true).close();
		open(false).close();
		assertThat(files(this.directory.resolve("values"))).isEmpty();
	}

	@Test
	void numbersOfArrivalGoOn() {
		try (LsmStore store = open(false)) {
			put(store, "a", NOW, 10);
			put(store, "far", FAR, 10);
		}
		open(true).close();
		try (LsmStore store = open(false)) {
			put(store, "b", NOW + 1, 10);
			assertThat(stamp(store, "b")).isEqualTo(NOW + 1);
			assertThat(keys(store)).containsExactly("a", "b");
		}
	}

	/** What the process would leave if it were killed now. */
	private Path image() throws IOException {
		CrashImage.take(this.directory, this.images.resolve("image"));
		return this.images.resolve("image");
	}

	private static List<Path> files(Path directory) throws IOException {
		try (Stream<Path> files = Files.list(directory)) {
			return files.toList();
		}
	}

	private LsmStore open(boolean dropped) {
		return open(this.directory, dropped);
	}

	private static LsmStore open(Path directory, boolean dropped) {
		return StoreOpening.open(TestStores.properties(directory, Sync.ALWAYS, Compression.NONE),
				PurgePolicy.alone(() -> NOW), new FutureStamps(NOW, Duration.ofMillis(MAX_SKEW), dropped),
				new SimpleMeterRegistry(), () -> {
				});
	}

	private static void put(LsmStore store, String key, long millis, int size) {
		byte[] value = new byte[size];
		Arrays.fill(value, (byte) millis);
		TestStores.applyWithRoom(store, Key.of(key),
				new Entry.Live(Timestamp.ofMillis(millis), 1, Entry.NEVER, Value.wrap(value)));
	}

	private static long stamp(LsmStore store, String key) {
		return switch (await(store.read(Key.of(key), Runnable::run))) {
			case ReadResult.Found(var entry) -> entry.timestamp().millis();
			case ReadResult.Summarized(var summary) -> summary.timestamp().millis();
			case ReadResult.Absent _ -> -1;
		};
	}

	private static List<String> keys(LsmStore store) {
		ScanPage page = await(store.page(Key.of("a"), null, new PageLimit(10_000, 1 << 30, 10_000), Runnable::run));
		return page.records().stream().map((item) -> item.key().toString()).toList();
	}

}
