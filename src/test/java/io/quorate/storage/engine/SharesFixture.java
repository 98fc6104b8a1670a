package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Partitions;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Value;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.PageLimit;
import io.quorate.storage.PageVerification;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ReadResult;
import io.quorate.storage.ScanPage;
import io.quorate.storage.SetAsideData;
import io.quorate.storage.ShareChange;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.sstable.MapDbTableFormat;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A store whose node holds two keys, and gains and loses the partition of one of them.
 */
abstract class SharesFixture {

	static final Key MOVED = Key.of("moved");

	static final Key KEPT = Key.of("kept");

	static final Set<Integer> ITS = Set.of(Partitions.of(MOVED));

	static final PageLimit LIMIT = new PageLimit(100, 1 << 20, 100);

	@TempDir
	Path root;

	Path directory = Path.of("");

	LsmStore store;

	@BeforeEach
	void prepare() throws IOException {
		this.directory = Files.createDirectory(this.root.resolve("store"));
		this.store = open(this.directory);
	}

	@AfterEach
	void close() {
		this.store.close();
	}

	static LsmStore open(Path directory) {
		return StoreOpening.open(TestStores.properties(directory, Sync.ALWAYS), PurgePolicy.nothing());
	}

	static ShareChange gain(long version) {
		return new ShareChange(version, ITS, Set.of());
	}

	static ShareChange loss(long version) {
		return new ShareChange(version, Set.of(), ITS);
	}

	static Entry entry(long millis, int size) {
		byte[] value = new byte[size];
		value[0] = (byte) millis;
		return new Entry.Live(Timestamp.ofMillis(millis), 1, Entry.NEVER, Value.wrap(value));
	}

	Entry put(Key key, long millis) {
		return put(key, millis, 10);
	}

	Entry put(Key key, long millis, int size) {
		Entry entry = entry(millis, size);
		await(this.store.apply(key, entry, Runnable::run));
		return entry;
	}

	/* By each way in which a key is read. */
	void requireFound(Key key, @Nullable Entry expected) {
		assertThat(found(this.store, key)).isEqualTo(expected);
		for (boolean descending : new boolean[] { false, true }) {
			ScanRange range = new ScanRange(Key.of("a"), null, descending);
			assertThat(await(this.store.page(range, LIMIT, Deadline.none(), Runnable::run)).records())
				.filteredOn((item) -> item.key().equals(key))
				.extracting(ScanPage.Item::entry)
				.isEqualTo((expected != null) ? List.of(expected) : List.of());
			assertThat(await(this.store.headers(range, LIMIT, Deadline.none(), Runnable::run)).headers())
				.filteredOn((header) -> header.key().equals(key))
				.extracting(HeaderPage.Header::timestamp)
				.isEqualTo((expected != null) ? List.of(expected.timestamp()) : List.of());
		}
	}

	static @Nullable Entry found(LsmStore store, Key key) {
		return (await(store.read(key, Runnable::run)) instanceof ReadResult.Found(Entry entry)) ? entry : null;
	}

	static List<ScanPage.Item> items(SetAsideData aside) {
		return await(aside.page(Key.of("a"), null, LIMIT, Runnable::run)).records();
	}

	void reopen() {
		this.store.close();
		this.store = open(this.directory);
	}

	Path image() {
		try {
			Path image = Files.createTempDirectory(this.root, "image");
			CrashImage.take(this.directory, image);
			return image;
		}
		catch (IOException failure) {
			throw new AssertionError(failure);
		}
	}

	static Recovered recovered(Path directory) {
		return new Recovery(TestStores.properties(directory, Sync.ALWAYS),
				new MapDbTableFormat(PageVerification.FIRST_TOUCH))
			.run();
	}

	/* The log is replayed. */
	void crash() {
		Path image = image();
		this.store.close();
		this.directory = image;
		this.store = open(image);
	}

}
