package io.quorate.repair.rebuild;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.storage.ScanPage.Item;
import io.quorate.storage.ScanPage;

/** The stores of n2 and n3, as far as they answer. */
final class ScriptedSources implements Rebuild.Sources {

	final Map<String, Map<Key, Entry>> held = new ConcurrentHashMap<>();

	final Set<String> silent = ConcurrentHashMap.newKeySet();

	/* For which these do not answer. */
	volatile String reason = "silent";

	final List<String> asked = new CopyOnWriteArrayList<>();

	volatile boolean areKnown = true;

	volatile Set<String> ids = Set.of("n2", "n3");

	ScriptedSources() {
		ids().forEach((peer) -> this.held.put(peer, new ConcurrentSkipListMap<>()));
	}

	static Entry live(long stamp, String value) {
		return live(stamp, 3, value);
	}

	static Entry live(long stamp, int from, String value) {
		return new Entry.Live(new Timestamp(stamp, 1), from, Entry.NEVER,
				Value.wrap(value.getBytes(StandardCharsets.UTF_8)));
	}

	static Entry tombstone(long stamp) {
		return new Entry.Tombstone(new Timestamp(stamp, 1), 3);
	}

	@Override
	public boolean areKnown() {
		return this.areKnown;
	}

	@Override
	public Set<String> ids() {
		return this.ids;
	}

	@Override
	public ScanPage page(String member, Key start) throws IOException {
		if (this.silent.contains(member)) {
			throw new IOException(this.reason);
		}
		this.asked.add(member + " " + start);
		List<Item> after = of(member).entrySet()
			.stream()
			.filter((its) -> its.getKey().compareTo(start) >= 0)
			.map((its) -> new Item(its.getKey(), its.getValue()))
			.toList();
		return new ScanPage(after.subList(0, Math.min(1, after.size())),
				(after.size() > 1) ? after.get(1).key() : null);
	}

	void hold(String member, String key, Entry entry) {
		of(member).put(Key.of(key), entry);
	}

	Map<Key, Entry> of(String member) {
		return Objects.requireNonNull(this.held.get(member));
	}

}
