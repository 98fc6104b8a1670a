package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.quorate.clock.Timestamp;
import io.quorate.entry.ContentType;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.PageLimit;
import io.quorate.storage.PageVerification;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ReadResult;
import io.quorate.storage.ScanPage;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.sstable.MapDbTableFormat;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.quorate.storage.engine.TestStores.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class LsmStoreTests {

	private static final PageLimit WHOLE = new PageLimit(10_000, 1 << 20, 10_000);

	@TempDir
	Path directory;

	private final AtomicLong time = new AtomicLong(1000);

	private LsmStore store;

	@BeforeEach
	void open() {
		this.store = TestStores.open(this.directory, this.time::get);
	}

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void aWrittenValueIsRead() {
		put("a", "1");
		put("b", "");
		assertThat(read("a")).isEqualTo("1");
		assertThat(read("b")).isEmpty();
		assertThat(found("c")).isEqualTo(ReadResult.Absent.INSTANCE);
	}

	@Test
	void laterTimestampWinsWhateverTheOrderOfArrival() {
		Key key = Key.of("a");
		assertThat(apply(key, live(20, "new"))).isInstanceOf(ApplyResult.Applied.class);
		assertThat(apply(key, live(10, "old"))).isEqualTo(new ApplyResult.Superseded(stamp(20), true));
		assertThat(read("a")).isEqualTo("new");
		await(this.store.flush());
		assertThat(apply(key, live(15, "old, too"))).as("by a filter, which may err")
			.isEqualTo(new ApplyResult.Superseded(stamp(20), false));
		assertThat(read("a")).isEqualTo("new");
		await(this.store.flush());
		assertThat(read("a")).isEqualTo("new");
	}

	@Test
	void sameEntryAgainIsApplied() {
		Key key = Key.of("a");
		ApplyResult first = apply(key, live(20, "x"));
		assertThat(apply(key, live(20, "x"))).isEqualTo(first);
	}

	@Test
	void largeValuesAreKeptApartAndSurviveFlushAndRestart() throws IOException {
		byte[] large = new byte[3_000_000];
		new Random(7).nextBytes(large);
		Key key = Key.of("large");
		apply(key, new Entry.Live(stamp(5), 1, Entry.NEVER, Value.copyOf(large)));
		assertThat(value(key)).isEqualTo(large);
		assertThat(filesIn("values")).hasSize(1);
		reopen();
		assertThat(value(key)).isEqualTo(large);
		await(this.store.flush());
		assertThat(value(key)).isEqualTo(large);
		reopen();
		assertThat(value(key)).isEqualTo(large);
	}

	@Test
	void valueFilesThatNothingRefersToGo() throws IOException {
		for (int i = 0; i < 6; i++) {
			byte[] large = new byte[500_000];
			large[0] = (byte) i;
			apply(Key.of("same"), new Entry.Live(stamp(10 + i), 1, Entry.NEVER, Value.wrap(large)));
			await(this.store.flush());
		}
		await(this.store.compacted());
		reopen();
		await(this.store.compacted());
		apply(Key.of("other"), new Entry.Live(stamp(99), 1, Entry.NEVER, Value.wrap(new byte[20_000])));
		await(this.store.flush());
		reopen();
		assertThat(value(Key.of("same"))[0]).isEqualTo((byte) 5);
		assertThat(sizeOf("values")).isLessThan(2_100_000);
	}

	/** Long before there are enough references to fill a memtable. */
	@Test
	void largeValuesThatAreOverwrittenGoWithoutBeingAskedTo() {
		for (int i = 0; i < 120; i++) {
			byte[] large = new byte[100_000];
			large[0] = (byte) i;
			apply(Key.of("same"), new Entry.Live(stamp(10 + i), 1, Entry.NEVER, Value.wrap(large)));
		}
		Awaitility.await()
			.ignoreExceptionsInstanceOf(NoSuchFileException.class)
			.untilAsserted(() -> assertThat(sizeOf("values")).isLessThan(4_000_000));
		assertThat(value(Key.of("same"))[0]).isEqualTo((byte) 119);
	}

	/** Deletions are refused, too: nobody could make room but the store itself. */
	@ParameterizedTest
	@EnumSource(Sync.class)
	void largeValuesThatWereOverwrittenGoWhenTheDiskIsLow(Sync sync) throws IOException {
		this.store.close();
		StorageProperties properties = TestStores.properties(this.directory, sync);
		long enough = properties.minFreeSpace().toBytes();
		AtomicLong free = new AtomicLong(10 * enough);
		this.store = StoreOpening.open(
				new Recovery(properties, new MapDbTableFormat(PageVerification.FIRST_TOUCH)).run(), properties,
				PurgePolicy.alone(this.time::get), StoreMetrics.none(),
				() -> DiskSpace.of(this.directory, enough, () -> new DiskSpace.Reading(20 * enough, free.get())));
		for (int i = 0; i < 5; i++) {
			apply(Key.of("same"), new Entry.Live(stamp(10 + i), 1, Entry.NEVER, Value.wrap(new byte[100_000])));
		}
		assertThat(sizeOf("values")).isGreaterThan(500_000);
		free.set(enough - 1);
		Awaitility.await()
			.ignoreExceptionsInstanceOf(NoSuchFileException.class)
			.untilAsserted(() -> assertThat(sizeOf("values")).isLessThan(110_000));
		assertThat(value(Key.of("same"))).hasSize(100_000);
	}

	@Test
	void scanGivesEveryKeyOnceInOrderAcrossMemoryAndTables() {
		for (int round = 0; round < 3; round++) {
			for (int i = round; i < 300; i += 3) {
				put("k%03d".formatted(i), "v" + i);
			}
			if (round < 2) {
				await(this.store.flush());
			}
		}
		put("k007", "again");
		List<String> keys = new ArrayList<>();
		Key start = Key.of("k");
		while (start != null) {
			ScanPage page = await(this.store.page(start, Key.of("k250"), new PageLimit(7, 1000, 1000), Runnable::run));
			page.records().forEach((item) -> keys.add(item.key().toString()));
			start = page.next();
		}
		assertThat(keys).hasSize(250).isSorted().doesNotHaveDuplicates().startsWith("k000").endsWith("k249");
		assertThat(read("k007")).isEqualTo("again");
	}

	@Test
	void aContentTypeCountsAsAPartOfAPage() {
		ContentType type = ContentType.of("a".repeat(200));
		for (int i = 0; i < 10; i++) {
			await(this.store.apply(Key.of("k" + i),
					new Entry.Live(Timestamp.ofMillis(1), 1, Entry.NEVER, Value.wrap(new byte[98]), type),
					Runnable::run));
		}
		ScanPage page = await(this.store.page(Key.of("k"), null, new PageLimit(100, 1000, 100), Runnable::run));
		assertThat(page.records()).hasSize(3).allMatch((item) -> type.equals(item.entry().contentType()));
	}

	@Test
	void pageHasOneRecordHoweverLarge() {
		apply(Key.of("a"), new Entry.Live(stamp(1), 1, Entry.NEVER, Value.wrap(new byte[1_000_000])));
		apply(Key.of("b"), new Entry.Live(stamp(2), 1, Entry.NEVER, Value.wrap(new byte[1_000_000])));
		ScanPage page = await(this.store.page(Key.of("a"), null, new PageLimit(100, 256 * 1024, 100), Runnable::run));
		assertThat(page.records()).hasSize(1);
		assertThat(page.next()).isEqualTo(Key.of("b"));
	}

	@Test
	void compactionForgetsDeletionsAndExpiredEntries() {
		for (int i = 0; i < 5; i++) {
			put("keep" + i, "x");
			put("gone" + i, "x");
			apply(Key.of("short" + i), new Entry.Live(stamp(50 + i), 1, 2000, Value.wrap(new byte[10])));
			apply(Key.of("gone" + i), new Entry.Tombstone(stamp(++this.stamps), 1));
			await(this.store.flush());
		}
		this.time.set(3000);
		put("one more", "x");
		await(this.store.flush());
		for (int i = 0; i < 4; i++) {
			put("and more" + i, "x");
			await(this.store.flush());
		}
		await(this.store.compacted());
		ScanPage all = await(this.store.page(Key.of("a"), null, WHOLE, Runnable::run));
		assertThat(all.records()).extracting((item) -> item.key().toString())
			.contains("keep0", "keep4", "one more", "and more3")
			.noneMatch((key) -> key.startsWith("gone") || key.startsWith("short"));
	}

	@Test
	void everythingIsThereAfterRestartsWithAndWithoutFlush() {
		for (int i = 0; i < 500; i++) {
			put("k" + i, "v" + i);
		}
		reopen();
		put("k3", "changed");
		await(this.store.flush());
		put("k4", "changed");
		reopen();
		assertThat(read("k3")).isEqualTo("changed");
		assertThat(read("k4")).isEqualTo("changed");
		assertThat(read("k499")).isEqualTo("v499");
		assertThat(this.store.newest()).isEqualTo(stamp(this.stamps));
	}

	@Test
	void damagedTableIsNeverServed() throws IOException {
		for (int i = 0; i < 1000; i++) {
			put("k%04d".formatted(i), "value " + i);
		}
		await(this.store.flush());
		this.store.close();
		Path table = filesIn("tables").getFirst();
		byte[] bytes = Files.readAllBytes(table);
		bytes[bytes.length / 3] ^= 0x10;
		Files.write(table, bytes);
		open();
		int refused = 0;
		for (int i = 0; i < 1000; i++) {
			try {
				assertThat(read("k%04d".formatted(i))).isEqualTo("value " + i);
			}
			catch (StorageCorruptedException damage) {
				assertThat(damage.file()).isEqualTo(table);
				refused++;
			}
		}
		assertThat(refused).isPositive();
	}

	@Test
	void theStatusCountsEntriesInMemoryAndInTables() {
		assertThat(this.store.status().held().entries()).isZero();
		assertThat(this.store.status().held().bytes()).isZero();
		put("a", "1");
		put("b", "2".repeat(1000));
		put("a", "3");
		assertThat(this.store.status().held().entries()).as("keys in memory").isEqualTo(2);
		assertThat(this.store.status().held().bytes()).isGreaterThan(1000);
		await(this.store.flush());
		put("a", "4");
		assertThat(this.store.status().held().entries()).as("older ones in tables, too").isEqualTo(3);
		assertThat(this.store.status().held().bytes()).isGreaterThan(1000);
	}

	@Test
	void closedStoreRefuses() {
		this.store.close();
		assertThatThrownBy(() -> put("a", "1")).isInstanceOf(StorageFailedException.class);
		assertThatThrownBy(() -> read("a")).isInstanceOf(StorageFailedException.class);
	}

	private long stamps = 1000;

	private void put(String key, String value) {
		apply(Key.of(key), live(++this.stamps, value));
	}

	private static Entry live(long millis, String value) {
		return new Entry.Live(stamp(millis), 1, Entry.NEVER, Value.copyOf(value.getBytes(UTF_8)));
	}

	private static Timestamp stamp(long millis) {
		return Timestamp.ofMillis(millis);
	}

	private ApplyResult apply(Key key, Entry entry) {
		return await(this.store.apply(key, entry, Runnable::run));
	}

	private ReadResult found(String key) {
		return await(this.store.read(Key.of(key), Runnable::run));
	}

	private String read(String key) {
		return new String(value(Key.of(key)), UTF_8);
	}

	private byte[] value(Key key) {
		ReadResult result = await(this.store.read(key, Runnable::run));
		assertThat(result).isInstanceOf(ReadResult.Found.class);
		return ((Entry.Live) ((ReadResult.Found) result).entry()).value().array();
	}

	private void reopen() {
		this.store.close();
		open();
	}

	private List<Path> filesIn(String name) throws IOException {
		try (Stream<Path> files = Files.list(this.directory.resolve(name))) {
			return files.sorted().toList();
		}
	}

	private long sizeOf(String name) throws IOException {
		long size = 0;
		for (Path file : filesIn(name)) {
			size += Files.size(file);
		}
		return size;
	}

}
