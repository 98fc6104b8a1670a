package io.quorate.storage.floor;

import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Partitions;
import io.quorate.storage.ShareChange;
import io.quorate.storage.merge.MergingCursor;
import io.quorate.storage.record.KeyedEntry;
import io.quorate.storage.record.StoredEntry.Deleted;
import io.quorate.storage.record.StoredEntry;
import io.quorate.storage.sstable.TableCursor;
import io.quorate.storage.values.ValueFiles;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FlooredCursorTests {

	private static final Key KEY = Key.of("a");

	private static final Floors FLOORS = Floors.NONE.after(new ShareChange(2, Set.of(Partitions.of(KEY)), Set.of()), 10,
			5);

	@Test
	void aMarkStandsInThePlaceOfAHiddenEntry() {
		TableCursor cursor = new FlooredCursor(cursor(entry(KEY, 10, 99), entry(Key.of("b"), 10, 99)), FLOORS);
		KeyedEntry first = Objects.requireNonNull(cursor.next());
		assertThat(first.key()).isEqualTo(KEY);
		assertThat(FlooredCursor.isHidden(first)).isTrue();
		KeyedEntry second = Objects.requireNonNull(cursor.next());
		assertThat(second).isEqualTo(entry(Key.of("b"), 10, 99));
		assertThat(FlooredCursor.isHidden(second)).isFalse();
		assertThat(cursor.next()).isNull();
	}

	@Test
	void theMarkLosesAgainstEveryEntry() {
		KeyedEntry copy = entry(KEY, 11, 3);
		TableCursor merged = new MergingCursor(
				List.of(new FlooredCursor(cursor(entry(KEY, 10, 99)), FLOORS), new FlooredCursor(cursor(copy), FLOORS)),
				ValueFiles.BY_CHECKSUM);
		assertThat(merged.next()).isEqualTo(copy);
		assertThat(merged.next()).isNull();
	}

	private static KeyedEntry entry(Key key, long sequence, long millis) {
		return new KeyedEntry(key,
				new StoredEntry(sequence, Timestamp.ofMillis(millis), Entry.NEVER, 1, Deleted.INSTANCE));
	}

	private static TableCursor cursor(KeyedEntry... entries) {
		Iterator<KeyedEntry> left = List.of(entries).iterator();
		return () -> left.hasNext() ? left.next() : null;
	}

}
