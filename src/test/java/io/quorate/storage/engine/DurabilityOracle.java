package io.quorate.storage.engine;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import org.jspecify.annotations.Nullable;

/**
 * The writes to a store, and those that it must keep: as long as its process or the page
 * cache lives (acknowledged, or read), and beyond a power failure (durable). Timestamps
 * of a key only grow. Safe for any number of threads.
 */
final class DurabilityOracle {

	private final Map<Key, History> keys = new ConcurrentSkipListMap<>();

	private static final class History {

		private final List<Entry> written = new CopyOnWriteArrayList<>();

		private Timestamp acknowledged = Timestamp.ZERO;

		private Timestamp durable = Timestamp.ZERO;

		synchronized void acknowledge(Timestamp stamp, boolean durably) {
			if (stamp.isAfter(this.acknowledged)) {
				this.acknowledged = stamp;
			}
			if (durably && stamp.isAfter(this.durable)) {
				this.durable = stamp;
			}
		}

		synchronized Timestamp owed(boolean durably) {
			return durably ? this.durable : this.acknowledged;
		}

		synchronized void isNow(@Nullable Entry found) {
			if (found != null) {
				this.written.removeIf((entry) -> !entry.equals(found));
			}
			else {
				this.written.removeIf((entry) -> entry instanceof Entry.Live);
			}
			Timestamp stamp = (found != null) ? found.timestamp() : Timestamp.ZERO;
			this.acknowledged = stamp;
			this.durable = stamp;
		}

	}

	void started(Key key, Entry entry) {
		this.keys.computeIfAbsent(key, (_) -> new History()).written.add(entry);
	}

	/** It was acknowledged, and maybe promised to be on the disk. */
	void acknowledged(Key key, Entry entry, boolean durably) {
		history(key).acknowledge(entry.timestamp(), durably);
	}

	/** What some keys are owed at least. */
	Map<Key, Timestamp> owed(boolean durably) {
		Map<Key, Timestamp> owed = new TreeMap<>();
		this.keys.forEach((key, history) -> owed.put(key, history.owed(durably)));
		return owed;
	}

	/** What was owed at some time is on the disk from now on. */
	void durable(Map<Key, Timestamp> owed) {
		owed.forEach((key, stamp) -> history(key).acknowledge(stamp, true));
	}

	/** After a start: what was found is what there is, and on the disk. */
	void isNow(Map<Key, Entry> found) {
		this.keys.forEach((key, history) -> history.isNow(found.get(key)));
	}

	/**
	 * Judges what is found of a key.
	 * @param owed the oldest version that it may be
	 * @return what is wrong with it, or {@code null}
	 */
	@Nullable String judge(Key key, @Nullable Entry found, Timestamp owed) {
		History history = this.keys.get(key);
		if (history == null) {
			return (found == null) ? null : "never written, but there is " + found;
		}
		boolean possible = (found == null) ? isAbsencePossible(history, owed)
				: history.written.contains(found) && !owed.isAfter(found.timestamp());
		return possible ? null
				: "there is %s, the version of %s is owed, written were %s".formatted(found, owed, history.written);
	}

	/* A deletion may be forgotten at once. */
	private static boolean isAbsencePossible(History history, Timestamp owed) {
		return owed.equals(Timestamp.ZERO) || history.written.stream()
			.anyMatch((entry) -> entry instanceof Entry.Tombstone && !owed.isAfter(entry.timestamp()));
	}

	private History history(Key key) {
		return this.keys.computeIfAbsent(key, (_) -> new History());
	}

	Iterable<Key> keys() {
		return this.keys.keySet();
	}

}
