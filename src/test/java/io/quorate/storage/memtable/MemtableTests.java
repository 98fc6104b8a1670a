package io.quorate.storage.memtable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

import io.quorate.clock.Timestamp;
import io.quorate.entry.ContentType;
import io.quorate.entry.Key;
import io.quorate.entry.Lineage;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import io.quorate.storage.ApplyResult.Applied;
import io.quorate.storage.ApplyResult.Superseded;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.record.EntryCodec;
import io.quorate.storage.record.KeyedEntry;
import io.quorate.storage.record.StoredEntry.Deleted;
import io.quorate.storage.record.StoredEntry.Extras;
import io.quorate.storage.record.StoredEntry.Inline;
import io.quorate.storage.record.StoredEntry.Payload;
import io.quorate.storage.record.StoredEntry.Reference;
import io.quorate.storage.record.StoredEntry;
import io.quorate.storage.sstable.TableCursor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The entries that a memtable returns after inserts. */
class MemtableTests {

	private static final Key KEY = Key.of("key");

	private final Memtable memtable = new Memtable(1, Comparator.comparing(MemtableTests::value));

	@Test
	void everyKindOfEntryComesBackAsItWas() {
		List<Payload> payloads = List.of(inline(0), inline(100), new Reference(7, 8, 9, 10), Deleted.INSTANCE);
		for (int i = 0; i < payloads.size(); i++) {
			Key key = Key.of("key" + i);
			StoredEntry entry = new StoredEntry(i, new Timestamp(i, -i), 1000 + i, 3, payloads.get(i));
			assertThat(this.memtable.insert(key, entry)).isEqualTo(new Applied(i));
			assertThat(this.memtable.get(key)).isEqualTo(entry);
			assertThat(this.memtable.timestamp(key, key.hash64())).isEqualTo(entry.timestamp());
		}
		assertThat(this.memtable.valueFiles()).containsExactly(7L);
		List<KeyedEntry> all = all(this.memtable.cursor(null));
		assertThat(all).extracting(KeyedEntry::key)
			.containsExactly(Key.of("key0"), Key.of("key1"), Key.of("key2"), Key.of("key3"));
		assertThat(all).extracting((keyed) -> keyed.entry().payload()).isEqualTo(payloads);
	}

	@Test
	void nothingIsHeldOfAnotherKey() {
		this.memtable.insert(KEY, entry(1, 5, inline(1)));
		assertThat(this.memtable.get(Key.of("kez"))).isNull();
		assertThat(this.memtable.timestamp(Key.of("kez"), Key.of("kez").hash64())).isNull();
	}

	@Test
	void theLaterEntryStays() {
		assertThat(this.memtable.insert(KEY, entry(1, 5, inline(1)))).isEqualTo(new Applied(1));
		assertThat(this.memtable.insert(KEY, entry(2, 4, inline(2))))
			.isEqualTo(new Superseded(new Timestamp(5, 0), true));
		assertThat(this.memtable.insert(KEY, entry(3, 6, inline(3)))).isEqualTo(new Applied(3));
		assertThat(this.memtable.get(KEY)).isEqualTo(entry(3, 6, inline(3)));
		assertThat(this.memtable.oldest()).isEqualTo(new Timestamp(5, 0));
		assertThat(this.memtable.newest()).isEqualTo(new Timestamp(6, 0));
	}

	@Test
	void theSameEntryAgainKeepsItsFirstSequence() {
		this.memtable.insert(KEY, entry(1, 5, inline(1)));
		long size = this.memtable.sizeBytes();
		assertThat(this.memtable.insert(KEY, entry(2, 5, inline(1)))).isEqualTo(new Applied(1));
		assertThat(this.memtable.get(KEY)).isEqualTo(entry(1, 5, inline(1)));
		assertThat(this.memtable.sizeBytes()).isEqualTo(size);
	}

	/**
	 * A scan goes by the order, a read by the hash: neither shows an entry that the other
	 * does not know of yet.
	 */
	@Test
	@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD) // it spins
	void anEntrySeenByAScanIsSeenByAReadAndViceVersa() throws Exception {
		// More than the table has room for at first.
		int keys = 30_000;
		Memtable filled = new Memtable(1, Comparator.comparing(MemtableTests::value));
		AtomicInteger awaited = new AtomicInteger();
		CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
			for (int i = 0; i < keys; i++) {
				while (awaited.get() < i) {
					LockSupport.parkNanos(1000);
				}
				filled.insert(numbered(i), entry(i, i, inline(1)));
			}
		});
		try {
			for (int i = 0; i < keys; i++) {
				Key key = numbered(i);
				awaited.set(i);
				if (i % 2 == 0) {
					spinUntil(() -> filled.cursor(key).next() != null, writer);
					assertThat(filled.get(key)).as("read of what a scan has shown").isNotNull();
				}
				else {
					spinUntil(() -> filled.get(key) != null, writer);
					assertThat(filled.cursor(key).next()).as("scan of what a read has shown").isNotNull();
				}
			}
		}
		finally {
			awaited.set(keys);
		}
		writer.get(1, TimeUnit.MINUTES);
		assertThat(filled.keys()).isEqualTo(keys);
	}

	private static void spinUntil(BooleanSupplier seen, CompletableFuture<Void> writer) throws InterruptedException {
		while (!seen.getAsBoolean()) {
			if (Thread.interrupted()) {
				throw new InterruptedException("not seen in time");
			}
			if (writer.isCompletedExceptionally()) {
				writer.join();
			}
			Thread.onSpinWait();
		}
	}

	private static Key numbered(int number) {
		return Key.of("%08d".formatted(number));
	}

	@Test
	void theSizeIncludesTheIndexOfEachEntry() {
		int keys = 30_000;
		int entryBytes = 0;
		for (int i = 0; i < keys; i++) {
			StoredEntry entry = entry(i, i, inline(10));
			this.memtable.insert(numbered(i), entry);
			entryBytes += numbered(i).size() + EntryCodec.size(entry);
		}
		assertThat((this.memtable.sizeBytes() - entryBytes) / keys).isBetween(30L, 60L);
	}

	@Test
	void theNextOneIsEmptyAndComparesInTheSameWay() {
		this.memtable.insert(KEY, entry(1, 5, inline(10)));
		Memtable next = this.memtable.next(2);
		assertThat(next.segment()).isEqualTo(2);
		assertThat(next.isEmpty()).isTrue();
		next.insert(KEY, entry(2, 5, inline(11)));
		assertThat(next.insert(KEY, entry(3, 5, inline(10)))).isEqualTo(new Superseded(new Timestamp(5, 0), true));
	}

	@Test
	void aReplacedEntryKeepsItsMemoryUntilTheFlush() {
		this.memtable.insert(KEY, entry(1, 5, inline(10)));
		long small = this.memtable.sizeBytes();
		this.memtable.insert(KEY, entry(2, 6, inline(10_010)));
		long large = this.memtable.sizeBytes();
		assertThat(large - small).isBetween(10_010L, 10_100L);
		this.memtable.insert(KEY, entry(3, 5, inline(10_010)));
		assertThat(this.memtable.sizeBytes()).as("what loses is not kept").isEqualTo(large);
		assertThat(this.memtable.keys()).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 2, 3, 4, 5, 6, 7 })
	void anEntryLargerThanAPieceHasOneOfItsOwn(int odd) {
		for (int i = 0; i < 3; i++) {
			Key key = numbered(i);
			StoredEntry large = entry(2, 5, inline(3_000_000 + odd));
			this.memtable.insert(key, entry(1, 4, inline(1)));
			this.memtable.insert(key, large);
			Key after = Key.of("" + i);
			this.memtable.insert(after, entry(3, 5, inline(2)));
			assertThat(this.memtable.get(key)).isEqualTo(large);
			assertThat(this.memtable.get(after)).isEqualTo(entry(3, 5, inline(2)));
		}
		assertThat(all(this.memtable.cursor(null))).hasSize(6);
	}

	/** Whatever is left at the end of one, from nothing to more than the next takes. */
	@Test
	void anEntryThatFillsAPieceToItsEndIsWhole() {
		Map<Key, StoredEntry> inserted = new TreeMap<>();
		byte[] longest = new byte[Key.MAX_SIZE_BYTES];
		for (int i = 0; i < 3000; i++) {
			longest[Key.MAX_SIZE_BYTES - 1 - i % 4] = (byte) i;
			Key key = (i % 5 == 0) ? Key.copyOf(longest) : numbered(i);
			StoredEntry entry = entry(i, i, inline((i % 7 == 0) ? 16_384 : i % 700));
			this.memtable.insert(key, entry);
			inserted.put(key, entry);
		}
		assertThat(all(this.memtable.cursor(null))).isEqualTo(entries(inserted));
		inserted.forEach((key, entry) -> assertThat(this.memtable.get(key)).isEqualTo(entry));
	}

	@Test
	void entriesThatDifferInTheContentTypeAreDecidedByTheMerge() {
		StoredEntry none = entry(1, 5, inline(1));
		StoredEntry typed = typed(2, inline(1));
		assertThat(this.memtable.insert(KEY, none)).isEqualTo(new Applied(1));
		assertThat(this.memtable.insert(KEY, typed)).isEqualTo(new Applied(2));
		assertThat(this.memtable.insert(KEY, entry(3, 5, inline(1)))).isInstanceOf(Superseded.class);
		assertThat(this.memtable.insert(KEY, typed(4, inline(1)))).isEqualTo(new Applied(2));
		assertThat(this.memtable.get(KEY)).isEqualTo(typed);
	}

	@Test
	void aNewCopyOfALargeValueKeepsContentTypeAndLineage() {
		this.memtable.insert(KEY, typed(1, new Reference(7, 8, 9, 10)));
		this.memtable.insert(KEY, typed(2, new Reference(8, 8, 9, 10)));
		assertThat(this.memtable.get(KEY)).isEqualTo(typed(1, new Reference(8, 8, 9, 10)));
	}

	@Test
	void anEntryThatARoundHasCarriedOnIsNotPlain() {
		StoredEntry plain = entry(1, 5, inline(1));
		this.memtable.insert(KEY, new StoredEntry(1, plain.timestamp(), plain.expiryMillis(), plain.from(),
				plain.payload(), Extras.of(null, new Lineage(new Timestamp(4, 0), null))));
		assertThat(this.memtable.insert(KEY, entry(2, 3, inline(1))))
			.isEqualTo(new Superseded(plain.timestamp(), true, false));
	}

	private static StoredEntry typed(long sequence, Payload payload) {
		StoredEntry plain = entry(sequence, 5, payload);
		return new StoredEntry(sequence, plain.timestamp(), plain.expiryMillis(), plain.from(), payload,
				Extras.of(ContentType.of("text/plain"), new Lineage(new Timestamp(4, 0), Timestamp.ZERO)));
	}

	/** A scan finds what is added behind where it stands. */
	@Test
	void aScanSeesWhatComesInAhead() {
		this.memtable.insert(Key.of("a"), entry(1, 1, inline(1)));
		this.memtable.insert(Key.of("c"), entry(2, 2, inline(1)));
		TableCursor cursor = this.memtable.cursor(Key.of("a"));
		assertThat(cursor.next()).isEqualTo(new KeyedEntry(Key.of("a"), entry(1, 1, inline(1))));
		this.memtable.insert(Key.of("b"), entry(3, 3, inline(1)));
		assertThat(cursor.next()).isEqualTo(new KeyedEntry(Key.of("b"), entry(3, 3, inline(1))));
		assertThat(cursor.next()).isEqualTo(new KeyedEntry(Key.of("c"), entry(2, 2, inline(1))));
		assertThat(cursor.next()).isNull();
		this.memtable.insert(Key.of("d"), entry(4, 4, inline(1)));
		assertThat(cursor.next()).isEqualTo(new KeyedEntry(Key.of("d"), entry(4, 4, inline(1))));
	}

	@Test
	void aScanDoesNotSeeWhatComesInBeforeItsStart() {
		this.memtable.insert(Key.of("a"), entry(1, 1, inline(1)));
		TableCursor cursor = this.memtable.cursor(Key.of("c"));
		this.memtable.insert(Key.of("b"), entry(2, 2, inline(1)));
		this.memtable.insert(Key.of("bb"), entry(3, 3, inline(1)));
		assertThat(cursor.next()).isNull();
		this.memtable.insert(Key.of("c"), entry(4, 4, inline(1)));
		this.memtable.insert(Key.of("ca"), entry(5, 5, inline(1)));
		assertThat(all(cursor)).extracting(KeyedEntry::key).containsExactly(Key.of("c"), Key.of("ca"));
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3 })
	void itHoldsWhatASortedMapWould(long seed) {
		RandomGenerator random = new SplittableRandom(seed);
		Memtable filled = new Memtable(1, Comparator.comparing(MemtableTests::value));
		NavigableMap<Key, StoredEntry> model = new TreeMap<>();
		for (int i = 0; i < 60_000; i++) {
			// Beyond what the table has room for at first, and some again and again.
			Key key = anyKey(random, random.nextBoolean() ? 40_000 : 100);
			StoredEntry entry = entry(i, random.nextLong(0, 60_000), inline(random.nextInt(0, 200)));
			ApplyResult expected = expected(model, key, entry);
			assertThat(filled.insert(key, entry)).as("seed %d, %s", seed, key).isEqualTo(expected);
		}
		assertThat(filled.keys()).isEqualTo(model.size());
		for (int i = 0; i < 20_000; i++) {
			Key key = anyKey(random, 50_000);
			assertThat(filled.get(key)).as("seed %d, %s", seed, key).isEqualTo(model.get(key));
		}
		assertThat(all(filled.cursor(null))).isEqualTo(entries(model));
		assertThat(all(filled.descending(null))).isEqualTo(entries(model.descendingMap()));
		for (int i = 0; i < 20; i++) {
			Key start = anyKey(random, 50_000);
			assertThat(all(filled.cursor(start))).as("seed %d, from %s", seed, start)
				.isEqualTo(entries(model.tailMap(start, true)));
			assertThat(all(filled.descending(start))).as("seed %d, down from %s", seed, start)
				.isEqualTo(entries(model.headMap(start, false).descendingMap()));
		}
	}

	private static ApplyResult expected(NavigableMap<Key, StoredEntry> model, Key key, StoredEntry entry) {
		StoredEntry held = model.get(key);
		int order = (held != null) ? Versioned.compare(held, entry, Comparator.comparing(MemtableTests::value)) : -1;
		if (held != null && order >= 0) {
			return (order == 0) ? new Applied(held.sequence()) : new Superseded(held.timestamp(), true);
		}
		model.put(key, entry);
		return new Applied(entry.sequence());
	}

	/* Of different lengths, one a prefix of others. */
	private static Key anyKey(RandomGenerator random, int most) {
		String number = Integer.toString(random.nextInt(most), 36);
		return Key.of(number + "/".repeat(number.hashCode() & 3));
	}

	private static List<KeyedEntry> entries(Map<Key, StoredEntry> model) {
		List<KeyedEntry> entries = new ArrayList<>();
		model.forEach((key, entry) -> entries.add(new KeyedEntry(key, entry)));
		return entries;
	}

	private static List<KeyedEntry> all(TableCursor cursor) {
		List<KeyedEntry> all = new ArrayList<>();
		for (KeyedEntry next = cursor.next(); next != null; next = cursor.next()) {
			all.add(next);
		}
		return all;
	}

	/**
	 * Readers never see a key's entry go back, half an entry, a key that was there and is
	 * not any more, or a scan out of order.
	 */
	@Test
	@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD) // it spins
	void aConcurrentReaderSeesWholeEntriesThatOnlyGetNewer() throws Exception {
		int keys = 20_000;
		int writes = 200_000;
		long seed = System.nanoTime();
		Memtable filled = new Memtable(1, Comparator.comparing(MemtableTests::value));
		AtomicIntegerArray written = new AtomicIntegerArray(keys);
		CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
			RandomGenerator random = new SplittableRandom(seed);
			for (int i = 1; i <= writes; i++) {
				int number = random.nextInt(keys);
				filled.insert(numbered(number), entry(i, i, filledWith(i)));
				written.set(number, i);
			}
		});
		RandomGenerator random = new SplittableRandom(seed + 1);
		int seen = 0;
		while (!writer.isDone()) {
			for (int i = 0; i < 1000; i++) {
				int number = random.nextInt(keys);
				int before = written.get(number);
				StoredEntry entry = filled.get(numbered(number));
				assertThat((entry != null) ? entry.sequence() : 0).as("seed %d, %d", seed, number)
					.isGreaterThanOrEqualTo(before);
				seen += isWhole(entry) ? 1 : 0;
			}
			int start = random.nextInt(keys);
			List<Key> there = IntStream.range(start, keys)
				.filter((number) -> written.get(number) > 0)
				.mapToObj(MemtableTests::numbered)
				.toList();
			List<KeyedEntry> scanned = all(filled.cursor(numbered(start)));
			Set<Key> found = new HashSet<>();
			Key last = numbered(start);
			for (KeyedEntry next : scanned) {
				assertThat(next.key()).as("seed %d", seed).isGreaterThanOrEqualTo(last);
				assertThat(isWhole(next.entry())).isTrue();
				assertThat(found.add(next.key())).as("seed %d, once: %s", seed, next.key()).isTrue();
				last = next.key();
			}
			assertThat(found.containsAll(there)).as("seed %d, from %d", seed, start).isTrue();
			requireDescending(filled, start, written, seed);
		}
		writer.get(1, TimeUnit.MINUTES);
		assertThat(seen).isPositive();
		for (int number = 0; number < keys; number++) {
			StoredEntry entry = filled.get(numbered(number));
			assertThat((entry != null) ? entry.sequence() : 0).as("seed %d", seed).isEqualTo(written.get(number));
		}
	}

	private static void requireDescending(Memtable filled, int end, AtomicIntegerArray written, long seed) {
		List<Key> there = IntStream.range(0, end)
			.filter((number) -> written.get(number) > 0)
			.mapToObj(MemtableTests::numbered)
			.toList();
		Set<Key> found = new HashSet<>();
		Key last = numbered(end);
		for (KeyedEntry next : all(filled.descending(last))) {
			assertThat(next.key()).as("seed %d, descending", seed).isLessThan(last);
			assertThat(isWhole(next.entry())).isTrue();
			found.add(next.key());
			last = next.key();
		}
		assertThat(found.containsAll(there)).as("seed %d, down from %d", seed, end).isTrue();
	}

	private static Inline filledWith(int write) {
		byte[] value = new byte[write % 150];
		Arrays.fill(value, (byte) write);
		return new Inline(Value.wrap(value));
	}

	private static boolean isWhole(@Nullable StoredEntry entry) {
		if (entry == null) {
			return false;
		}
		assertThat(entry.payload()).isEqualTo(filledWith((int) entry.sequence()));
		assertThat(entry.timestamp().hybrid()).isEqualTo(entry.sequence());
		return true;
	}

	@Test
	void everyLargeValueCountsThatItsFilesKeepForIt() {
		this.memtable.insert(KEY, entry(1, 5, new Reference(7, 8, 900, 10)));
		this.memtable.insert(KEY, entry(2, 6, new Reference(7, 908, 90, 10)));
		this.memtable.insert(KEY, entry(3, 4, new Reference(8, 8, 9, 10)));
		this.memtable.insert(KEY, entry(4, 7, inline(1)));
		assertThat(this.memtable.valueBytes()).isEqualTo(999);
	}

	private static StoredEntry entry(long sequence, long time, Payload payload) {
		return new StoredEntry(sequence, new Timestamp(time, 0), Versioned.NEVER, 3, payload);
	}

	private static Inline inline(int size) {
		return new Inline(Value.wrap(new byte[size]));
	}

	private static Value value(StoredEntry entry) {
		return (entry.payload() instanceof Inline inline) ? inline.value() : Value.EMPTY;
	}

}
