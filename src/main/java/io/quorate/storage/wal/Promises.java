package io.quorate.storage.wal;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.storage.Promise;
import io.quorate.storage.log.LogFormat;
import io.quorate.storage.record.StoredEntry;
import org.jspecify.annotations.Nullable;

/**
 * The promises of a store, and the judge of what its log takes: it knows all that stand,
 * before a record gets its number. One thread at a time judges; what it has decided is
 * seen by others from {@link #publish} on. It waits for nothing.
 * <p>
 * A promise that replaces another keeps it below itself: the round that has it may still
 * propose at its ballot. So a key has a pile of promises, and a release takes one out of
 * it.
 */
public final class Promises {

	private final int most;

	private final long mostBytes;

	/* Of each key by their ballots; no key has none. */
	private final Map<Key, NavigableMap<Timestamp, Standing>> standing = new HashMap<>();

	private final Set<Key> changed = new HashSet<>();

	private final Map<Key, Promise> seen = new ConcurrentHashMap<>();

	private int number;

	private long sizeBytes;

	/**
	 * A promise in the log.
	 *
	 * @param sequence number of its arrival
	 */
	private record Standing(Promise promise, long sequence) {

		private int recordSize() {
			return LogFormat.recordSize(this.promise.key(), entry());
		}

		private StoredEntry entry() {
			return StoredEntry.promised(this.promise.ballot(), false).withSequence(this.sequence);
		}

	}

	/**
	 * No promises.
	 * @param most number of promises from which on no other is made
	 * @param mostBytes bytes of their records beyond which no other is made
	 */
	public Promises(int most, long mostBytes) {
		this.most = most;
		this.mostBytes = mostBytes;
	}

	/** Whether none stands. */
	public boolean isEmpty() {
		return this.standing.isEmpty();
	}

	/** The number of promises from which on no other is made. */
	public int most() {
		return this.most;
	}

	/**
	 * Judges an entry. If no promise is above it, the promises of the key end.
	 * @return ballot of the promise that refuses it, or {@code null}
	 */
	public @Nullable Timestamp refusalOfEntry(Key key, Timestamp timestamp) {
		Timestamp refusal = refusalOfPromise(key, timestamp);
		if (refusal == null) {
			endUpTo(key, timestamp);
		}
		return refusal;
	}

	/**
	 * Judges a promise. Only a higher one refuses it: the same may have to be written
	 * again.
	 * @return ballot of the promise that refuses it, or {@code null}
	 */
	public @Nullable Timestamp refusalOfPromise(Key key, Timestamp ballot) {
		NavigableMap<Timestamp, Standing> pile = this.standing.get(key);
		return (pile != null && pile.lastKey().isAfter(ballot)) ? pile.lastKey() : null;
	}

	/** Whether the bounds permit another promise of a key. */
	public boolean hasRoomFor(Key key) {
		return this.number < this.most && this.sizeBytes
				+ LogFormat.recordSize(key, StoredEntry.promised(Timestamp.ZERO, false)) <= this.mostBytes;
	}

	/** Whether this very promise stands. */
	public boolean stands(Key key, Timestamp ballot) {
		NavigableMap<Timestamp, Standing> pile = this.standing.get(key);
		return pile != null && pile.containsKey(ballot);
	}

	/** Adds a promise to those of its key, unless it stands. */
	public void make(Promise promise, long sequence) {
		Standing made = new Standing(promise, sequence);
		if (this.standing.computeIfAbsent(promise.key(), (_) -> new TreeMap<>())
			.putIfAbsent(promise.ballot(), made) == null) {
			count(promise.key(), made, 1);
		}
	}

	/** Takes a promise back, if it stands. */
	public void release(Key key, Timestamp ballot) {
		NavigableMap<Timestamp, Standing> pile = this.standing.get(key);
		if (pile != null) {
			end(key, pile, pile.subMap(ballot, true, ballot, true));
		}
	}

	private void endUpTo(Key key, Timestamp timestamp) {
		NavigableMap<Timestamp, Standing> pile = this.standing.get(key);
		if (pile != null) {
			end(key, pile, pile.headMap(timestamp, true));
		}
	}

	/**
	 * Ends promises of a key.
	 * @param ended the view of those in the pile
	 */
	private void end(Key key, Map<Timestamp, Standing> pile, Map<Timestamp, Standing> ended) {
		ended.values().forEach((each) -> count(key, each, -1));
		ended.clear();
		if (pile.isEmpty()) {
			this.standing.remove(key);
		}
	}

	private void count(Key key, Standing changes, int times) {
		this.number += times;
		this.sizeBytes += (long) times * changes.recordSize();
		this.changed.add(key);
	}

	/**
	 * Takes note of a record about a promise that a replay has found. It was judged when
	 * it was written.
	 * @param nowNanos instant of the start
	 */
	public void replayPromise(Key key, StoredEntry entry, long nowNanos) {
		if (entry.payload() instanceof StoredEntry.Promised(var isReleased) && isReleased) {
			release(key, entry.timestamp());
		}
		else {
			make(new Promise(key, entry.timestamp(), nowNanos, nowNanos), entry.sequence());
		}
	}

	/** Takes note of an entry that a replay has found, which was taken. */
	public void replayEntry(Key key, Timestamp timestamp) {
		endUpTo(key, timestamp);
	}

	/** Forgets the promises of keys that the store has lost. */
	public void drop(Predicate<Key> lost) {
		List.copyOf(this.standing.entrySet())
			.stream()
			.filter((its) -> lost.test(its.getKey()))
			.forEach((its) -> end(its.getKey(), its.getValue(), its.getValue()));
	}

	/**
	 * Hands over the records that make another log stand where this one does: of each key
	 * the lowest ballot first.
	 */
	public void forEach(BiConsumer<Key, StoredEntry> records) {
		this.standing.forEach((key, pile) -> pile.values().forEach((each) -> records.accept(key, each.entry())));
	}

	/** Shows others what has changed since the last call. */
	public void publish() {
		if (this.changed.isEmpty()) {
			return;
		}
		for (Key key : this.changed) {
			NavigableMap<Timestamp, Standing> pile = this.standing.get(key);
			if (pile == null) {
				this.seen.remove(key);
			}
			else {
				this.seen.put(key, pile.lastEntry().getValue().promise());
			}
		}
		this.changed.clear();
	}

	/** The highest published promise of a key; for any thread. */
	public @Nullable Promise of(Key key) {
		return this.seen.get(key);
	}

	/** The highest published promise of each key; for any thread. */
	public Collection<Promise> all() {
		return List.copyOf(this.seen.values());
	}

}
