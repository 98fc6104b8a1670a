package io.quorate.simulation;

import java.util.NavigableMap;
import java.util.TreeMap;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ShareChange;
import io.quorate.storage.floor.Floors;
import io.quorate.storage.wal.Promises;
import org.jspecify.annotations.Nullable;

/**
 * The durable content of a node's store: the entry that wins of each key, with the number
 * of its arrival, and the floors below which it is hidden.
 */
final class SimulatedTables {

	private final NavigableMap<Key, Held> entries = new TreeMap<>();

	private final PlantedBug bug;

	private Promises promises = noPromises();

	private Floors floors = Floors.NONE;

	private long assignedVersion;

	private long sequence;

	private long places;

	/**
	 * An entry and the number of its first arrival.
	 *
	 * @param place number by which it has become visible: what arrives may overtake
	 */
	record Held(Entry entry, long sequence, long place) {
	}

	/**
	 * Tables that are empty.
	 * @param bug a fault that is planted
	 */
	SimulatedTables(PlantedBug bug) {
		this.bug = bug;
	}

	/* Nothing is hidden. */
	private boolean isWithoutFloors() {
		return this.bug == PlantedBug.NO_FLOOR;
	}

	private static Promises noPromises() {
		return new Promises(Integer.MAX_VALUE, Long.MAX_VALUE);
	}

	PlantedBug bug() {
		return this.bug;
	}

	Promises promises() {
		return this.promises;
	}

	/** The promises as the next process finds them in the log. */
	void replayPromises(long nowNanos) {
		Promises replayed = noPromises();
		if (this.bug != PlantedBug.PROMISE_NOT_DURABLE) {
			this.promises.forEach((key, entry) -> replayed.replayPromise(key, entry, nowNanos));
		}
		replayed.publish();
		this.promises = replayed;
	}

	long nextSequence() {
		return ++this.sequence;
	}

	long sequence() {
		return this.sequence;
	}

	/** The last place. */
	long places() {
		return this.places;
	}

	long assignedVersion() {
		return this.assignedVersion;
	}

	NavigableMap<Key, Held> entries() {
		return this.entries;
	}

	void assign(ShareChange change) {
		if (change.version() <= this.assignedVersion) {
			return;
		}
		this.assignedVersion = change.version();
		if (!isWithoutFloors()) {
			this.floors = this.floors.after(change, this.sequence, 0);
		}
		this.promises.drop((key) -> this.floors.isLost(key.hash64()));
		this.promises.publish();
	}

	/** The entry of a key that is not hidden. */
	@Nullable Held held(Key key) {
		Held held = this.entries.get(key);
		return (held == null || isHidden(key, held.sequence())) ? null : held;
	}

	/** The entry of a key, if any, that is not hidden. */
	@Nullable Entry entry(Key key) {
		Held held = held(key);
		return (held != null) ? held.entry() : null;
	}

	boolean isHidden(Key key, long arrival) {
		return this.floors.hides(key.hash64(), arrival);
	}

	/**
	 * Merges an entry with that which is held.
	 * @return the winner; the entry itself where it is hidden
	 */
	Entry put(Key key, Entry entry, long arrival) {
		if (isHidden(key, arrival)) {
			return entry;
		}
		Held held = held(key);
		if (held != null && held.entry().equals(Entry.merge(entry, held.entry()))) {
			return held.entry();
		}
		this.entries.put(key, new Held(entry, arrival, ++this.places));
		return entry;
	}

	/**
	 * Drops what is hidden or may be purged, as a compaction does.
	 * @return number of the deletions that are purged
	 */
	int compact(PurgePolicy purges) {
		this.entries.entrySet()
			.removeIf((each) -> !isWithoutFloors() && isHidden(each.getKey(), each.getValue().sequence()));
		int before = this.entries.size();
		this.entries.entrySet()
			.removeIf((each) -> purges.isPurgeable(each.getKey(), each.getValue().entry(), each.getValue().sequence()));
		return before - this.entries.size();
	}

}
