package io.quorate.storage.memtable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import io.quorate.storage.ApplyResult.Applied;
import io.quorate.storage.ApplyResult.Superseded;
import io.quorate.storage.record.KeyedEntry;
import io.quorate.storage.record.StoredEntry;
import io.quorate.storage.record.StoredEntry.Deleted;
import io.quorate.storage.record.StoredEntry.Inline;
import io.quorate.storage.record.StoredEntry.Payload;
import io.quorate.storage.record.StoredEntry.Reference;
import io.quorate.storage.sstable.TableCursor;
import org.junit.jupiter.api.Test;

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
