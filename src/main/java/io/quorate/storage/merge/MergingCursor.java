package io.quorate.storage.merge;

import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

import io.quorate.storage.record.KeyedEntry;
import io.quorate.storage.record.StoredEntry;
import io.quorate.storage.sstable.TableCursor;
import org.jspecify.annotations.Nullable;

/**
 * Goes through several cursors at once: each key once, in order, with the entry that wins
 * the merge, the first arrived of several that are the same.
 */
public final class MergingCursor implements TableCursor {

	private final PriorityQueue<Head> heads;

	private final Comparator<StoredEntry> byValue;

	/**
	 * A merge of cursors.
	 * @param byValue compares the values of two entries that nothing else tells apart
	 */
	public MergingCursor(List<TableCursor> cursors, Comparator<StoredEntry> byValue) {
		this.heads = new PriorityQueue<>(Math.max(1, cursors.size()),
				Comparator.comparing((Head head) -> head.entry.key()));
		this.byValue = byValue;
		cursors.forEach(this::advance);
	}

	@Override
	public @Nullable KeyedEntry next() {
		Head first = this.heads.poll();
		if (first == null) {
			return null;
		}
		KeyedEntry winner = first.entry;
		advance(first.cursor);
		Head same = this.heads.peek();
		while (same != null && same.entry.key().equals(winner.key())) {
			if (StoredEntry.compare(same.entry.entry(), winner.entry(), this.byValue) > 0) {
				winner = same.entry;
			}
			this.heads.remove();
			advance(same.cursor);
			same = this.heads.peek();
		}
		return winner;
	}

	private void advance(TableCursor cursor) {
		KeyedEntry next = cursor.next();
		if (next != null) {
			this.heads.add(new Head(next, cursor));
		}
	}

	private record Head(KeyedEntry entry, TableCursor cursor) {
	}

}
