package io.quorate.storage.engine;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Partitions;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Value;
import io.quorate.storage.HeaderPage.Header;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.PageLimit;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ShareChange;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.StorageProperties.Sync;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Pages of headers above a number, against those of all headers. Old entries arrive late,
 * the same ones again, partitions go and come back, and some entries may be purged.
 */
class HeadersAboveModelTests {

	private static final int STEPS = 2000;

	private static final int KEYS = 60;

	private static final ScanRange ALL = ScanRange.ascending(Key.of("\0"), null);

	private static final PageLimit WHOLE = new PageLimit(10_000, 1 << 20, 10_000);

	@TempDir
	private Path directory;

	private final long seed = Long.getLong("model.seed", System.nanoTime());

	private final Random random = new Random(this.seed);

	private final List<Entry> written = new ArrayList<>();

	private int step;

	private long highest;

	private int version = 1;

	@RepeatedTest(3)
	void theHeadersAboveANumberAreThoseOfAllThatHaveAHigherOne() {
		LsmStore store = open();
		try {
			for (this.step = 0; this.step < STEPS; this.step++) {
				int dice = this.random.nextInt(1000);
				if (dice < 880) {
					write(store);
				}
				else if (dice < 960) {
					compare(store);
				}
				else if (dice < 982) {
					await(store.flush());
				}
				else if (dice < 987) {
					await(store.compacted());
				}
				else if (dice < 994) {
					assign(store);
				}
				else {
					store.close();
					store = open();
				}
			}
			for (int i = 0; i < 50; i++) {
				compare(store);
			}
		}
		finally {
			store.close();
		}
	}

	private LsmStore open() {
		return StoreOpening.open(TestStores.properties(this.directory, Sync.NEVER), new SomePurges());
	}

	private static Key key(int number) {
		return Key.of("k%03d".formatted(number));
	}

	/*
	 * Each entry belongs to one key, so that it can come again. None that a purged
	 * deletion has hidden comes: it would be there again.
	 */
	private void write(LsmStore store) {
		boolean isAgain = !this.written.isEmpty() && this.random.nextInt(6) == 0;
		int number = isAgain ? this.random.nextInt(this.written.size()) : this.written.size();
		Key key = key(Math.floorMod(31 * number, KEYS));
		if (isAgain && isPurged(key)) {
			return;
		}
		if (!isAgain) {
			boolean isLate = !isPurged(key) && this.random.nextInt(3) == 0;
			long millis = isLate ? 1 + this.random.nextInt(STEPS) : STEPS + this.step;
			Timestamp stamp = new Timestamp(Timestamp.ofMillis(millis).hybrid(), this.step);
			this.written.add((this.random.nextInt(4) == 0) ? new Entry.Tombstone(stamp, 3) : new Entry.Live(stamp, 3,
					Entry.NEVER, Value.wrap(new byte[(this.random.nextInt(20) == 0) ? 20_000 : 100])));
		}
		await(store.apply(key, this.written.get(number), Runnable::run));
		this.highest++;
	}

	private static boolean isPurged(Key key) {
		return key.toString().endsWith("5");
	}

	private void assign(LsmStore store) {
		Set<Integer> its = Set.of(Partitions.of(key(this.random.nextInt(KEYS))));
		boolean isGain = this.random.nextInt(3) > 0;
		await(store.assign(new ShareChange(++this.version, isGain ? its : Set.of(), isGain ? Set.of() : its)));
		if (!isGain) {
			await(store.assign(new ShareChange(++this.version, its, Set.of())));
		}
	}

	private void compare(LsmStore store) {
		int first = this.random.nextInt(KEYS);
		ScanRange range = new ScanRange(key(first),
				(this.random.nextInt(3) == 0) ? null : key(first + this.random.nextInt(KEYS)),
				this.random.nextBoolean());
		PageLimit limit = new PageLimit(this.random.nextInt(1, 40), this.random.nextInt(1, 5000),
				this.random.nextInt(1, 60));
		long above = Math.max(0, this.highest - this.random.nextLong(1 + this.highest / (1 + this.random.nextInt(20))));
		List<Header> expected = headers(store, range, 0, WHOLE).stream()
			.filter((header) -> header.sequence() > above)
			.toList();
		assertThat(headers(store, range, above, limit))
			.as("seed %d, step %d, %s above %d, %s", this.seed, this.step, range, above, limit)
			.isEqualTo(expected);
	}

	private static List<Header> headers(LsmStore store, ScanRange range, long above, PageLimit limit) {
		List<Header> found = new ArrayList<>();
		for (ScanRange rest = range; rest != null;) {
			HeaderPage page = await(store.headers(rest, above, limit, Deadline.none(), Runnable::run));
			found.addAll(page.headers());
			@Nullable Key border = page.next();
			rest = (border != null) ? rest.restFrom(border) : null;
		}
		return found;
	}

	@Test
	void aTableWithoutSuchEntriesIsNotRead() {
		try (LsmStore store = open()) {
			for (int i = 0; i < 100; i++) {
				await(store.apply(Key.of("a%02d".formatted(i)), live(1000 + i), Runnable::run));
			}
			await(store.flush());
			await(store.apply(Key.of("b"), live(2000), Runnable::run));
			HeaderPage page = await(
					store.headers(ALL, 100, new PageLimit(10, 1 << 20, 2), Deadline.none(), Runnable::run));
			assertThat(page.headers()).extracting(Header::sequence).containsExactly(101L);
			assertThat(page.next()).isNull();
			HeaderPage none = await(
					store.headers(ALL, 101, new PageLimit(10, 1 << 20, 2), Deadline.none(), Runnable::run));
			assertThat(none).isEqualTo(new HeaderPage(List.of(), null));
			HeaderPage all = await(
					store.headers(ALL, 99, new PageLimit(10, 1 << 20, 2), Deadline.none(), Runnable::run));
			assertThat(all.next()).as("of a table that has one").isEqualTo(Key.of("a02"));
		}
	}

	@Test
	void anOlderEntryThanThatOfATableThatIsNotReadIsLeftOut() {
		try (LsmStore store = open()) {
			await(store.apply(Key.of("a"), live(2000), Runnable::run));
			await(store.apply(Key.of("b"), live(500), Runnable::run));
			await(store.flush());
			await(store.apply(Key.of("a"), live(1000), Runnable::run));
			await(store.apply(Key.of("b"), live(1000), Runnable::run));
			await(store.apply(Key.of("c"), live(1000), Runnable::run));
			assertThat(headers(store, ALL, 2, WHOLE)).extracting(Header::key).containsExactly(Key.of("b"), Key.of("c"));
			await(store.flush());
			assertThat(headers(store, ALL, 2, WHOLE)).as("from two tables")
				.extracting(Header::key)
				.containsExactly(Key.of("b"), Key.of("c"));
		}
	}

	/* Its flush fails, so that it stays one. */
	@Test
	void aMemtableWithoutSuchEntriesIsNotReadButMayHideWhatIsOlder() {
		FaultyFormat format = new FaultyFormat();
		try (LsmStore store = StoreOpening.open(TestStores.properties(this.directory, Sync.ALWAYS),
				PurgePolicy.nothing(), format)) {
			for (int i = 0; i < 100; i++) {
				await(store.apply(Key.of("a%02d".formatted(i)), live(1000 + i), Runnable::run));
			}
			format.set(FaultyFormat.Fault.CREATE_FAILS);
			assertThatExceptionOfType(StorageFailedException.class).isThrownBy(() -> await(store.flush()));
			assertThat(store.status().waitingMemtables()).isOne();
			await(store.apply(Key.of("a10"), live(500), Runnable::run));
			await(store.apply(Key.of("a20"), live(2000), Runnable::run));
			PageLimit small = new PageLimit(10, 1 << 20, 2);
			HeaderPage page = await(store.headers(ALL, 100, small, Deadline.none(), Runnable::run));
			assertThat(page.headers()).extracting(Header::key).containsExactly(Key.of("a20"));
			assertThat(page.next()).isNull();
			assertThat(await(store.headers(ALL, 99, small, Deadline.none(), Runnable::run)).next())
				.isEqualTo(Key.of("a02"));
			assertThat(headers(store, ALL, 99, WHOLE)).extracting(Header::key)
				.containsExactly(Key.of("a20"), Key.of("a99"));
			format.set(FaultyFormat.Fault.NONE);
		}
	}

	private static Entry live(long millis) {
		return new Entry.Live(Timestamp.ofMillis(millis), 3, Entry.NEVER, Value.wrap(new byte[10]));
	}

	/** The deletions of some keys may be purged. */
	private static final class SomePurges implements PurgePolicy {

		@Override
		public boolean mayPurge(Key key, Timestamp timestamp, long sequence) {
			return isPurged(key);
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
