package io.quorate.storage.merge;

import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;

import io.quorate.entry.Key;
import io.quorate.storage.record.KeyedEntry;
import io.quorate.storage.record.StoredEntry;
import io.quorate.storage.sstable.TableCursor;
import org.jspecify.annotations.Nullable;

/**
 * Merges several cursors: returns each key once, in order, with the entry that wins the
 * merge, the first arrived of several that are the same. A cursor with a known first key
 * is not read before that key is due, so that of the tables of a run only one at a time
 * is read.
 */
public final class MergingCursor implements TableCursor {

	private final PriorityQueue<Head> heads;

	private final Comparator<StoredEntry> byValue;

	/**
	 * A merge of cursors in ascending order of keys.
	 * @param byValue compares the values of two entries that differ in nothing else
	 */
	public MergingCursor(List<TableCursor> cursors, Comparator<StoredEntry> byValue) {
		this(cursors, Comparator.naturalOrder(), byValue);
	}

	/**
	 * A merge of cursors.
	 * @param order the order in which all of them return keys
	 * @param byValue compares the values of two entries that differ in nothing else
	 */
	public MergingCursor(List<TableCursor> cursors, Comparator<Key> order, Comparator<StoredEntry> byValue) {
		this.heads = new PriorityQueue<>(Math.max(1, cursors.size()),
				Comparator.comparing(Head::key, order).thenComparing(Head::isRead));
		this.byValue = byValue;
		cursors.forEach(this::add);
	}

	@Override
	public @Nullable KeyedEntry next() {
		KeyedEntry winner = takeFirst();
		if (winner == null) {
			return null;
		}
		// Every cursor that begins with this key or before it has been read.
		Head same = this.heads.peek();
		while (same != null && same.key().equals(winner.key())) {
			KeyedEntry other = Objects.requireNonNull(takeFirst());
			if (StoredEntry.compare(other.entry(), winner.entry(), this.byValue) > 0) {
				winner = other;
			}
			same = this.heads.peek();
		}
		return winner;
	}

	private @Nullable KeyedEntry takeFirst() {
		Head first = this.heads.poll();
		while (first != null) {
			advance(first.cursor);
			if (first.entry != null) {
				return first.entry;
			}
			first = this.heads.poll();
		}
		return null;
	}

	private void add(TableCursor cursor) {
		Key from = cursor.from();
		if (from != null) {
			this.heads.add(new Head(from, null, cursor));
		}
		else {
			advance(cursor);
		}
	}

	private void advance(TableCursor cursor) {
		KeyedEntry next = cursor.next();
		if (next != null) {
			this.heads.add(new Head(next.key(), next, cursor));
		}
	}

	/**
	 * The position of a cursor.
	 *
	 * @param key key of the entry, or one before which the first entry does not come
	 * @param entry {@code null} as long as nothing is read
	 */
	private record Head(Key key, @Nullable KeyedEntry entry, TableCursor cursor) {

		private boolean isRead() {
			return this.entry != null;
		}

	}

}
