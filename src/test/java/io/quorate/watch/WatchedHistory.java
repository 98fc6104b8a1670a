package io.quorate.watch;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;

/** The writes of some keys, and the instants at which a majority held each of them. */
public final class WatchedHistory {

	private final int majority;

	private final Map<String, Set<String>> holders = new HashMap<>();

	/* Versions that a node has held. */
	private final Map<Key, Set<Timestamp>> stored = new HashMap<>();

	/* By key and version, in milliseconds since the epoch. */
	private final Map<Key, Map<Timestamp, Long>> held = new HashMap<>();

	private final Map<Key, List<Entry>> heldEntries = new HashMap<>();

	/* The newest of each key, by the instant of its ack. */
	private final Map<Key, NavigableMap<Long, Entry>> acknowledged = new HashMap<>();

	/** No writes yet, of keys with replicas of which so many are a majority. */
	public WatchedHistory(int majority) {
		this.majority = majority;
	}

	void stored(Key key, Entry entry, String node, long nowMillis) {
		Set<String> its = this.holders.computeIfAbsent(key + " " + entry.timestamp(), (_) -> new HashSet<>());
		its.add(node);
		this.stored.computeIfAbsent(key, (_) -> new HashSet<>()).addAll(List.of(entry.version(), entry.timestamp()));
		if (its.size() >= this.majority) {
			held(key, entry, nowMillis);
		}
	}

	/**
	 * A majority holds an entry.
	 * @param millis an instant at which it did not yet, 0 for an unknown one
	 */
	public void held(Key key, Entry entry, long millis) {
		this.held.computeIfAbsent(key, (_) -> new HashMap<>())
			.merge(entry.version(), millis, (before, now) -> (before != 0) ? before : now);
		this.heldEntries.computeIfAbsent(key, (_) -> new ArrayList<>()).add(entry);
	}

	/** The client of a write, or of a read, was told of an entry. */
	public void acknowledged(Key key, Entry entry, long nowMillis) {
		NavigableMap<Long, Entry> all = this.acknowledged.computeIfAbsent(key, (_) -> new TreeMap<>());
		Map.Entry<Long, Entry> last = all.lastEntry();
		Timestamp former = (last != null) ? last.getValue().version() : Timestamp.ZERO;
		if (entry.version().isAfter(former)) {
			all.put(nowMillis, entry);
		}
	}

	/** The newest entries of each key that clients were told of, by the instants. */
	public Map<Key, NavigableMap<Long, Entry>> acknowledged() {
		return this.acknowledged;
	}

	/** Whether a client was told of a version. */
	public boolean wasAcknowledged(Key key, Timestamp version) {
		return this.acknowledged.getOrDefault(key, new TreeMap<>())
			.values()
			.stream()
			.anyMatch((entry) -> entry.version().equals(version));
	}

	boolean wasHeld(Key key, Timestamp version) {
		return this.held.getOrDefault(key, Map.of()).containsKey(version);
	}

	/** Whether a node has held a version. */
	boolean wasStored(Key key, Timestamp version) {
		return wasHeld(key, version) || this.stored.getOrDefault(key, Set.of()).contains(version);
	}

	/** The instant, 0 for a version that was overwritten before a majority held it. */
	long heldMillis(Key key, Timestamp version) {
		return this.held.getOrDefault(key, Map.of()).getOrDefault(version, 0L);
	}

	/** Whether a newer deletion was held, or a newer value that has expired. */
	boolean wasAbsentAfter(Key key, Timestamp version, long nowMillis) {
		return this.heldEntries.getOrDefault(key, List.of())
			.stream()
			.anyMatch((entry) -> entry.version().isAfter(version) && entry.isAbsentAt(nowMillis));
	}

}
