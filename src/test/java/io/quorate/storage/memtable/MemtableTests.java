package io.quorate.storage.memtable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import io.quorate.storage.ApplyResult.Applied;
import io.quorate.storage.ApplyResult.Superseded;
import io.quorate.storage.record.EntryCodec;
import io.quorate.storage.record.KeyedEntry;
import io.quorate.storage.record.StoredEntry;
import io.quorate.storage.record.StoredEntry.Deleted;
import io.quorate.storage.record.StoredEntry.Inline;
import io.quorate.storage.record.StoredEntry.Payload;
import io.quorate.storage.record.StoredEntry.Reference;
import io.quorate.storage.sstable.TableCursor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import static org.assertj.core.api.Assertions.assertThat;

/** What a memtable gives back of what was put into it. */
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
			assertThat(this.memtable.timestamp(key)).isEqualTo(entry.timestamp());
		}
		assertThat(this.memtable.valueFiles()).containsExactly(7L);
		List<KeyedEntry> all = new ArrayList<>();
		TableCursor cursor = this.memtable.cursor(null);
		for (KeyedEntry next = cursor.next(); next != null; next = cursor.next()) {
			all.add(next);
		}
		assertThat(all).extracting(KeyedEntry::key)
			.containsExactly(Key.of("key0"), Key.of("key1"), Key.of("key2"), Key.of("key3"));
		assertThat(all).extracting((keyed) -> keyed.entry().payload()).isEqualTo(payloads);
	}

	@Test
	void nothingIsHeldOfAnotherKey() {
		this.memtable.insert(KEY, entry(1, 5, inline(1)));
		assertThat(this.memtable.get(Key.of("kez"))).isNull();
		assertThat(this.memtable.timestamp(Key.of("kez"))).isNull();
	}

	@Test
	void theLaterEntryStays() {
		assertThat(this.memtable.insert(KEY, entry(1, 5, inline(1)))).isEqualTo(new Applied(1));
		assertThat(this.memtable.insert(KEY, entry(2, 4, inline(2)))).isEqualTo(new Superseded(new Timestamp(5, 0)));
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
	void whatIsSeenInOneWayIsSeenInTheOther() throws Exception {
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
		writer.get(10, TimeUnit.SECONDS);
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
	void whatTheNodesOfAnEntryTakeIsCounted() {
		this.memtable.insert(KEY, entry(1, 5, inline(10)));
		int entryBytes = EntryCodec.toBytes(entry(1, 5, inline(10))).length;
		assertThat(this.memtable.sizeBytes() - KEY.size() - entryBytes).isBetween(130L, 170L);
	}

	@Test
	void theNextOneIsEmptyAndComparesInTheSameWay() {
		this.memtable.insert(KEY, entry(1, 5, inline(10)));
		Memtable next = this.memtable.next(2);
		assertThat(next.segment()).isEqualTo(2);
		assertThat(next.isEmpty()).isTrue();
		next.insert(KEY, entry(2, 5, inline(11)));
		assertThat(next.insert(KEY, entry(3, 5, inline(10)))).isEqualTo(new Superseded(new Timestamp(5, 0)));
	}

	@Test
	void whatIsReplacedTakesNoRoomAnyMore() {
		this.memtable.insert(KEY, entry(1, 5, inline(10)));
		long small = this.memtable.sizeBytes();
		this.memtable.insert(KEY, entry(2, 6, inline(10_010)));
		assertThat(this.memtable.sizeBytes()).isEqualTo(small + 10_000);
		this.memtable.insert(KEY, entry(3, 7, inline(10)));
		assertThat(this.memtable.sizeBytes()).isEqualTo(small);
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
