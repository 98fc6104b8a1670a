package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Summary;
import io.quorate.replica.PageReply;
import io.quorate.replica.PageRequest;
import io.quorate.replica.ReadReply;
import io.quorate.replica.WriteReply;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.PageLimit;
import io.quorate.storage.ScanPage;

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

	PageReply page(PageRequest request) {
		return request.isHeadersOnly() ? new PageReply.Headers(headers(request.range(), request.limit()))
				: new PageReply.Page(entries(request.range(), request.limit()));
	}

	ScanPage entries(ScanRange range, PageLimit limit) {
		NavigableMap<Key, Entry> from = this.entries.tailMap(range.start(), true);
		NavigableMap<Key, Entry> in = (range.end() == null) ? from
				: range.isEmpty() ? new TreeMap<>() : from.headMap(range.end(), false);
		List<ScanPage.Item> items = new ArrayList<>();
		for (var held : (range.isDescending() ? in.descendingMap() : in).entrySet()) {
			if (items.size() == Math.min(limit.records(), this.mostOnAPage)) {
				return new ScanPage(items, range.isDescending() ? items.getLast().key() : held.getKey());
			}
			items.add(new ScanPage.Item(held.getKey(), held.getValue()));
		}
		return new ScanPage(items, null);
	}

	HeaderPage headers(ScanRange range, PageLimit limit) {
		ScanPage page = entries(range, limit);
		return new HeaderPage(page.records()
			.stream()
			.map((item) -> new HeaderPage.Header(item.key(), Summary.of(item.entry()), 0))
			.toList(), page.next());
	}

}
