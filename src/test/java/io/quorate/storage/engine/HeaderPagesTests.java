package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Lineage;
import io.quorate.entry.Summary;
import io.quorate.entry.Value;
import io.quorate.storage.ApplyResult.Applied;
import io.quorate.storage.HeaderPage.Header;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.PageLimit;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ReadResult;
import io.quorate.storage.StorageProperties.Sync;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class HeaderPagesTests {

	private static final PageLimit WHOLE = new PageLimit(10_000, 1 << 20, 10_000);

	private static final Key FIRST = Key.of("a");

	@TempDir
	private Path directory;

	private final AtomicLong stamps = new AtomicLong(1000);

	private LsmStore store;

	@BeforeEach
	void open() {
		this.store = StoreOpening.open(TestStores.properties(this.directory, Sync.ALWAYS), PurgePolicy.nothing());
	}

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void aHeaderSaysEverythingButTheValue() {
		apply(FIRST, new Entry.Live(stamp(5), 2, 7000, value(3)));
		apply(Key.of("b"), new Entry.Tombstone(stamp(6), 3));
		apply(Key.of("c"), new Entry.Live(stamp(7), 3, Entry.NEVER, value(20_000)));
		apply(Key.of("d"), new Entry.Live(stamp(7), 3, Entry.NEVER, value(3)).at(stamp(8)));
		List<Header> expected = List.of(new Header(FIRST, new Summary(stamp(5), false, 2, 7000, 3), 1),
				new Header(Key.of("b"), new Summary(stamp(6), true, 3, Entry.NEVER, 0), 2),
				new Header(Key.of("c"), new Summary(stamp(7), false, 3, Entry.NEVER, 20_000), 3), new Header(
						Key.of("d"), new Summary(stamp(8), false, 3, Entry.NEVER, 3, new Lineage(stamp(7), null)), 4));
		assertThat(headers(FIRST, null)).isEqualTo(expected);
		await(this.store.flush());
		assertThat(headers(FIRST, null)).isEqualTo(expected);
	}

	@Test
	void pagesEndAtEachOfTheirLimits() {
		for (int i = 0; i < 100; i++) {
			apply(Key.of("k%03d".formatted(i)), live(value(200)));
			if (i == 50) {
				await(this.store.flush());
			}
		}
		Key start = Key.of("k");
		int bytesOfFive = 5 * (4 + Header.OVERHEAD_BYTES);
		assertThat(await(this.store.headers(start, null, new PageLimit(7, 1 << 20, 1000), Runnable::run)))
			.satisfies((page) -> assertThat(page.headers()).hasSize(7))
			.extracting(HeaderPage::next)
			.isEqualTo(Key.of("k007"));
		assertThat(
				await(this.store.headers(start, null, new PageLimit(1000, bytesOfFive, 1000), Runnable::run)).headers())
			.hasSize(5);
		assertThat(await(this.store.headers(start, null, new PageLimit(1000, 1, 1000), Runnable::run)).headers())
			.hasSize(1);
		assertThat(await(this.store.headers(start, null, new PageLimit(1000, 1 << 20, 9), Runnable::run)).headers())
			.hasSize(9);
		assertThat(headers(Key.of("k010"), Key.of("k090"))).hasSize(80)
			.extracting((header) -> header.key().toString())
			.isSorted()
			.startsWith("k010")
			.endsWith("k089");
	}

	@Test
	void noValueFileIsReadNotEvenToCompareTheSameEntryWithItself() throws IOException {
		Entry large = live(value(100_000));
		apply(FIRST, large);
		await(this.store.flush());
		apply(FIRST, large);
		destroyValueFiles();
		assertThatThrownBy(() -> await(this.store.page(FIRST, null, WHOLE, Runnable::run))).isNotNull();
		assertThat(headers(FIRST, null)).singleElement().satisfies((header) -> {
			assertThat(header.timestamp()).isEqualTo(large.timestamp());
			assertThat(header.valueSizeBytes()).isEqualTo(100_000);
		});
	}

	@Test
	void aBoundedReadReadsNoValueFileEvenToCompareEqualEntries() throws IOException {
		Entry large = live(value(100_000));
		apply(FIRST, large);
		assertThat(read(99_999)).as("from memory").isEqualTo(new ReadResult.Summarized(Summary.of(large)));
		await(this.store.flush());
		assertThat(read(100_000)).as("from a table").isEqualTo(new ReadResult.Found(large));
		apply(FIRST, large);
		destroyValueFiles();
		assertThatThrownBy(() -> read(Integer.MAX_VALUE)).isNotNull();
		assertThatThrownBy(() -> read(100_000)).isNotNull();
		assertThat(read(99_999)).as("from a table and memory").isEqualTo(new ReadResult.Summarized(Summary.of(large)));
		await(this.store.flush());
		assertThat(read(0)).as("from two tables").isEqualTo(new ReadResult.Summarized(Summary.of(large)));
	}

	@Test
	void aBoundedReadGivesWhatIsSmallEnoughWhole() {
		Entry small = live(value(10));
		apply(FIRST, small);
		assertThat(read(10)).isEqualTo(new ReadResult.Found(small));
		assertThat(read(9)).isEqualTo(new ReadResult.Summarized(Summary.of(small)));
		Entry deletion = new Entry.Tombstone(stamp(this.stamps.incrementAndGet()), 3);
		apply(FIRST, deletion);
		assertThat(read(0)).isEqualTo(new ReadResult.Found(deletion));
		await(this.store.flush());
		assertThat(read(0)).isEqualTo(new ReadResult.Found(deletion));
	}

	private ReadResult read(int maxValueBytes) {
		return await(this.store.read(FIRST, maxValueBytes, Deadline.none(), Runnable::run));
	}

	@Test
	void theSameEntryAgainKeepsItsFirstSequenceWhereverItIs() {
		Entry same = live(value(10));
		Entry.Tombstone deletion = new Entry.Tombstone(stamp(this.stamps.incrementAndGet()), 3);
		long first = apply(FIRST, same);
		long firstDeletion = apply(Key.of("b"), deletion);
		for (int round = 0; round < 6; round++) {
			await(this.store.flush());
			await(this.store.apply(FIRST, same, Runnable::run));
			await(this.store.apply(Key.of("b"), deletion, Runnable::run));
			assertThat(headers(FIRST, null)).extracting(Header::sequence).containsExactly(first, firstDeletion);
		}
		await(this.store.flush());
		await(this.store.compacted());
		assertThat(headers(FIRST, null)).extracting(Header::sequence).containsExactly(first, firstDeletion);
	}

	private void destroyValueFiles() throws IOException {
		try (Stream<Path> files = Files.list(this.directory.resolve("values"))) {
			for (Path file : files.toList()) {
				Files.write(file, new byte[(int) Files.size(file)]);
			}
		}
	}

	private List<Header> headers(Key start, @Nullable Key end) {
		List<Header> headers = new ArrayList<>();
		Key from = start;
		while (from != null) {
			HeaderPage page = await(this.store.headers(from, end, new PageLimit(13, 1 << 20, 1000), Runnable::run));
			headers.addAll(page.headers());
			from = page.next();
		}
		return headers;
	}

	private long apply(Key key, Entry entry) {
		return ((Applied) await(this.store.apply(key, entry, Runnable::run))).sequence();
	}

	private Entry live(Value value) {
		return new Entry.Live(stamp(this.stamps.incrementAndGet()), 3, Entry.NEVER, value);
	}

	private static Value value(int sizeBytes) {
		byte[] bytes = new byte[sizeBytes];
		Arrays.fill(bytes, (byte) 0x5a);
		return Value.wrap(bytes);
	}

	private static Timestamp stamp(long millis) {
		return Timestamp.ofMillis(millis);
	}

}
