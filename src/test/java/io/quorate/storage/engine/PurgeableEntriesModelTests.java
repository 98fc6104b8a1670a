package io.quorate.storage.engine;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Summary;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.HeaderPage.Header;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.PageLimit;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ReadResult;
import io.quorate.storage.ScanPage;
import io.quorate.storage.StorageProperties.Sync;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.quorate.storage.engine.TestStores.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Drives a store through writes, late arrivals, flushes, compactions and restarts while
 * what may be purged becomes more and more, and compares reads, pages and headers with a
 * model. {@code -Dmodel.seed} repeats a run.
 */
class PurgeableEntriesModelTests {

	private static final int STEPS = Integer.getInteger("model.steps", 5000);

	private static final int KEYS = 120;

	@TempDir
	private Path directory;

	private final Marks marks = new Marks();

	private final List<Key> keys = IntStream.range(0, KEYS).mapToObj((i) -> Key.of("k%03d".formatted(i))).toList();

	private final Map<Key, Held> model = new TreeMap<>();

	private long seed;

	private Random random = new Random(0);

	private int step;

	private long nowMillis = 1_000_000;

	private LsmStore store;

	@BeforeEach
	void open() {
		this.seed = Long.getLong("model.seed", System.nanoTime());
		this.random = new Random(this.seed);
		this.store = StoreOpening.open(TestStores.properties(this.directory, Sync.ALWAYS), this.marks);
	}

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void aPurgeableEntryIsHiddenFromReadsAndStillSupersedes() {
		for (this.step = 0; this.step < STEPS; this.step++) {
			step();
		}
		judgeAll();
		await(this.store.flush());
		await(this.store.compacted());
		judgeAll();
	}

	@Test
	void aLongRunOfWhatIsLeftOutStallsNobody() {
		this.keys.forEach((key) -> write(key, new Entry.Tombstone(Timestamp.ofMillis(++this.nowMillis), 3)));
		this.marks.throughSequence = this.store.durableSequence() - 1;
		this.marks.before = Timestamp.MAX;
		PageLimit limit = new PageLimit(50, 1 << 20, 50);
		ScanPage first = await(this.store.page(this.keys.getFirst(), null, limit, Runnable::run));
		assertThat(first).isEqualTo(new ScanPage(List.of(), this.keys.get(50)));
		HeaderPage last = await(this.store.headers(this.keys.get(100), null, limit, Runnable::run));
		assertThat(last.headers()).extracting(Header::key).containsExactly(this.keys.getLast());
		assertThat(last.next()).isNull();
	}

	private void step() {
		int dice = this.random.nextInt(1000);
		Key key = this.keys.get(this.random.nextInt(KEYS));
		if (dice < 500) {
			write(key, randomEntry(++this.nowMillis));
		}
		else if (dice < 600) {
			writeAgain(key);
		}
		else if (dice < 700) {
			writeOlder(key);
		}
		else if (dice < 900) {
			judge(key);
		}
		else if (dice < 930) {
			judgeAll();
		}
		else if (dice < 960) {
			widen();
		}
		else if (dice < 985) {
			await(this.store.flush());
		}
		else if (dice < 997) {
			await(this.store.compacted());
		}
		else {
			this.store.close();
			this.store = StoreOpening.open(TestStores.properties(this.directory, Sync.ALWAYS), this.marks);
		}
	}

	/** As marks do: sequence, stamp and the end of the grace period only ever grow. */
	private void widen() {
		this.marks.throughSequence = Math.max(this.marks.throughSequence,
				this.store.durableSequence() - this.random.nextInt(100));
		this.marks.before = latest(this.marks.before, Timestamp.ofMillis(this.nowMillis - this.random.nextInt(200)));
		this.marks.expiredBeforeMillis = Math.max(this.marks.expiredBeforeMillis,
				this.nowMillis - this.random.nextInt(100));
		if (this.random.nextInt(4) == 0) {
			this.marks.agreed.add(this.keys.get(this.random.nextInt(KEYS)));
		}
	}

	private static Timestamp latest(Timestamp one, Timestamp other) {
		return one.isAfter(other) ? one : other;
	}

	private void write(Key key, Entry entry) {
		ApplyResult result = apply(key, entry);
		assertThat(result).as(this::description).isInstanceOf(ApplyResult.Applied.class);
		this.model.put(key, new Held(entry, ((ApplyResult.Applied) result).sequence()));
	}

	/** It keeps its first sequence, unless it was dropped meanwhile. */
	private void writeAgain(Key key) {
		Held held = this.model.get(key);
		if (held != null) {
			writeLate(key, held, held.entry);
		}
	}

	/** What may be purged supersedes it until it is dropped. */
	private void writeOlder(Key key) {
		Held held = this.model.get(key);
		if (held != null) {
			writeLate(key, held, randomEntry(held.entry.timestamp().millis() - 1 - this.random.nextInt(50)));
		}
	}

	/**
	 * Only what may be purged may have gone, and then what comes after it is held; as
	 * long as it is there, it wins. A merge that has decided to drop it must not be under
	 * way, or it goes while the other arrives.
	 */
	private void writeLate(Key key, Held held, Entry entry) {
		boolean mayBeGone = this.marks.isPurgeable(key, held.entry, held.sequence);
		if (mayBeGone) {
			await(this.store.flush());
			await(this.store.compacted());
		}
		long sequence = this.store.durableSequence() + 1;
		ApplyResult result = apply(key, entry);
		if (mayBeGone) {
			Held late = new Held(entry, sequence);
			this.model.put(key, isHeld(late) ? late : held);
		}
		else if (!entry.equals(held.entry)) {
			assertThat(result).as(this::description).isInstanceOf(ApplyResult.Superseded.class);
		}
		judge(key);
	}

	/** Whether a read finds it once nothing may be purged. */
	private boolean isHeld(Held candidate) {
		this.marks.isSuspended = true;
		try {
			return await(
					this.store.headers(this.keys.getFirst(), null, new PageLimit(KEYS, 1 << 20, KEYS), Runnable::run))
				.headers()
				.stream()
				.anyMatch((header) -> header.sequence() == candidate.sequence);
		}
		finally {
			this.marks.isSuspended = false;
		}
	}

	private void judge(Key key) {
		ReadResult result = await(this.store.read(key, Runnable::run));
		Entry found = (result instanceof ReadResult.Found(Entry entry)) ? entry : null;
		assertThat(found).as(() -> "%s, %s".formatted(key, description())).isEqualTo(visible(key));
	}

	private @Nullable Entry visible(Key key) {
		Held held = this.model.get(key);
		return (held == null || this.marks.isPurgeable(key, held.entry, held.sequence)) ? null : held.entry;
	}

	private void judgeAll() {
		List<ScanPage.Item> items = new ArrayList<>();
		List<Header> headers = new ArrayList<>();
		for (Map.Entry<Key, Held> held : this.model.entrySet()) {
			Entry entry = visible(held.getKey());
			if (entry != null) {
				items.add(new ScanPage.Item(held.getKey(), entry));
				headers.add(header(held.getKey(), entry, held.getValue().sequence));
			}
		}
		assertThat(items()).as(this::description).isEqualTo(items);
		assertThat(headers()).as(this::description).isEqualTo(headers);
	}

	private static Header header(Key key, Entry entry, long sequence) {
		return new Header(key, Summary.of(entry), sequence);
	}

	private List<ScanPage.Item> items() {
		List<ScanPage.Item> items = new ArrayList<>();
		Key from = this.keys.getFirst();
		while (from != null) {
			PageLimit limit = limit();
			ScanPage page = await(this.store.page(from, null, limit, Runnable::run));
			items.addAll(page.records());
			requireProgress(from, page.next(), page.records().size(), limit);
			from = page.next();
		}
		return items;
	}

	private List<Header> headers() {
		List<Header> headers = new ArrayList<>();
		Key from = this.keys.getFirst();
		while (from != null) {
			PageLimit limit = limit();
			HeaderPage page = await(this.store.headers(from, null, limit, Runnable::run));
			headers.addAll(page.headers());
			requireProgress(from, page.next(), page.headers().size(), limit);
			from = page.next();
		}
		return headers;
	}

	private void requireProgress(Key from, @Nullable Key next, int records, PageLimit limit) {
		assertThat(next == null || next.compareTo(from) > 0).as(this::description).isTrue();
		assertThat(records).as(this::description).isLessThanOrEqualTo(Math.min(limit.records(), limit.examined()));
	}

	private PageLimit limit() {
		return new PageLimit(1 + this.random.nextInt(30), 1 + this.random.nextInt(20_000), 1 + this.random.nextInt(40));
	}

	private ApplyResult apply(Key key, Entry entry) {
		return await(this.store.apply(key, entry, Runnable::run));
	}

	private Entry randomEntry(long millis) {
		int dice = this.random.nextInt(100);
		if (dice < 40) {
			return new Entry.Tombstone(Timestamp.ofMillis(millis), 3);
		}
		byte[] value = new byte[(dice < 95) ? this.random.nextInt(2000) : 20_000];
		this.random.nextBytes(value);
		long expiry = (dice < 60) ? millis + this.random.nextInt(500) : Versioned.NEVER;
		return new Entry.Live(Timestamp.ofMillis(millis), 3, expiry, Value.wrap(value));
	}

	private String description() {
		return "seed %d, step %d".formatted(this.seed, this.step);
	}

	private record Held(Entry entry, long sequence) {
	}

	/** The purge policy of a node with peers, simplified. */
	private static final class Marks implements PurgePolicy {

		private final Set<Key> agreed = ConcurrentHashMap.newKeySet();

		private volatile Timestamp before = Timestamp.ZERO;

		private volatile long throughSequence;

		private volatile long expiredBeforeMillis;

		private volatile boolean isSuspended;

		@Override
		public boolean mayPurge(Key key, Timestamp timestamp, long sequence) {
			return !this.isSuspended && (this.agreed.contains(key)
					|| (sequence <= this.throughSequence && this.before.isAfter(timestamp)));
		}

		@Override
		public Timestamp purgeBefore() {
			return this.before;
		}

		@Override
		public long purgeThrough() {
			return this.throughSequence;
		}

		@Override
		public long expiredBeforeMillis() {
			return this.expiredBeforeMillis;
		}

	}

}
