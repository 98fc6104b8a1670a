package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Summary;
import io.quorate.replica.PageReply;
import io.quorate.replica.ReadReply;
import io.quorate.replica.WriteReply;
import io.quorate.storage.PageLimit;
import io.quorate.storage.ScanPage;
import org.jspecify.annotations.Nullable;

/** The entries of a replica, in a map. Used by one thread. */
final class MemoryStore {

	final NavigableMap<Key, Entry> entries = new TreeMap<>();

	int mostOnAPage = Integer.MAX_VALUE;

	WriteReply put(Key key, Entry entry) {
		Entry held = this.entries.get(key);
		Entry winner = (held != null) ? Entry.merge(entry, held) : entry;
		this.entries.put(key, winner);
		return winner.equals(entry) ? WriteReply.Applied.COMPLETE : new WriteReply.Superseded(winner.timestamp(), true);
	}

	ReadReply get(Key key, int maxValueBytes) {
		Entry held = this.entries.get(key);
		if (held == null) {
			return new ReadReply.Absent();
		}
		Summary summary = Summary.of(held);
		return (summary.valueSizeBytes() > maxValueBytes) ? new ReadReply.Summarized(summary)
				: new ReadReply.Found(held);
	}

	PageReply page(Key start, @Nullable Key end, PageLimit limit) {
		List<ScanPage.Item> items = new ArrayList<>();
		for (var held : this.entries.tailMap(start, true).entrySet()) {
			if (end != null && held.getKey().compareTo(end) >= 0) {
				break;
			}
			if (items.size() == Math.min(limit.records(), this.mostOnAPage)) {
				return new PageReply.Page(new ScanPage(items, held.getKey()));
			}
			items.add(new ScanPage.Item(held.getKey(), held.getValue()));
		}
		return new PageReply.Page(new ScanPage(items, null));
	}

}
