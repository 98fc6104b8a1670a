package io.quorate.repair.comparison;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Summary;
import io.quorate.storage.HeaderPage.Header;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.ScanPage.Item;
import org.jspecify.annotations.Nullable;

/** A store that is a sorted map. */
final class SimulatedStore implements OwnStore {

	private final NavigableMap<Key, Entry> entries = new TreeMap<>();

	@Override
	public HeaderPage headers(Key start, @Nullable Key end, int limit) {
		List<Header> headers = new ArrayList<>();
		for (var entry : this.entries.tailMap(start, true).entrySet()) {
			if (end != null && entry.getKey().compareTo(end) >= 0) {
				break;
			}
			if (headers.size() == limit) {
				return new HeaderPage(headers, entry.getKey());
			}
			headers.add(header(entry.getKey(), entry.getValue()));
		}
		return new HeaderPage(headers, null);
	}

	static Header header(Key key, Entry entry) {
		return new Header(key, Summary.of(entry), 0);
	}

	@Override
	public @Nullable Entry read(Key key) {
		return this.entries.get(key);
	}

	@Override
	public void apply(List<Item> items) {
		items.forEach((item) -> apply(item.key(), item.entry()));
	}

	void apply(Key key, Entry entry) {
		this.entries.merge(key, entry, Entry::merge);
	}

	/** Loses what it holds of a key. */
	void lose(Key key) {
		this.entries.remove(key);
	}

	NavigableMap<Key, Entry> entries() {
		return this.entries;
	}

}
