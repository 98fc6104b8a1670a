package io.quorate.storage.wal;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

	private final Map<Key, Standing> standing = new HashMap<>();

	private final Set<Key> changed = new HashSet<>();

	private final Map<Key, Promise> seen = new ConcurrentHashMap<>();

	private int number;

	private long sizeBytes;

	/**
	 * A promise with those that it has replaced.
	 *
	 * @param sequence number of its arrival
	 * @param floor the next lower one, {@code null} for none
	 */
	private record Standing(Promise promise, long sequence, @Nullable Standing floor) {

		private Timestamp ballot() {
			return this.promise.ballot();
		}

		private int recordSize() {
			return LogFormat.recordSize(this.promise.key(), entry());
		}

		private StoredEntry entry() {
			return StoredEntry.promised(ballot(), false).withSequence(this.sequence);
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
		Standing highest = this.standing.get(key);
		if (highest == null) {
			return null;
		}
		if (highest.ballot().isAfter(timestamp)) {
			return highest.ballot();
		}
		replace(key, highest, null);
		return null;
	}

	/**
	 * Judges a promise. Only a higher one refuses it: the same may have to be written
	 * again.
	 * @return ballot of the promise that refuses it, or {@code null}
	 */
	public @Nullable Timestamp refusalOfPromise(Key key, Timestamp ballot) {
		Standing highest = this.standing.get(key);
		return (highest != null && highest.ballot().isAfter(ballot)) ? highest.ballot() : null;
	}

	/** Whether the bounds permit another promise of a key. */
	public boolean hasRoomFor(Key key) {
		return this.number < this.most && this.sizeBytes
				+ LogFormat.recordSize(key, StoredEntry.promised(Timestamp.ZERO, false)) <= this.mostBytes;
	}

	/** Whether this very promise stands. */
	public boolean stands(Key key, Timestamp ballot) {
		Standing link = this.standing.get(key);
		while (link != null && link.ballot().isAfter(ballot)) {
			link = link.floor();
		}
		return link != null && link.ballot().equals(ballot);
	}

	/** Adds a promise to those of its key, unless it stands. */
	public void make(Promise promise, long sequence) {
		Key key = promise.key();
		if (!stands(key, promise.ballot())) {
			Standing old = this.standing.get(key);
			replace(key, old, with(old, promise, sequence));
		}
	}

	private static Standing with(@Nullable Standing pile, Promise promise, long sequence) {
		return (pile == null || promise.ballot().isAfter(pile.ballot())) ? new Standing(promise, sequence, pile)
				: new Standing(pile.promise(), pile.sequence(), with(pile.floor(), promise, sequence));
	}

	/** Takes a promise back, if it stands. */
	public void release(Key key, Timestamp ballot) {
		if (stands(key, ballot)) {
			Standing old = this.standing.get(key);
			replace(key, old, without(old, ballot));
		}
	}

	private static @Nullable Standing without(@Nullable Standing pile, Timestamp ballot) {
		if (pile == null) {
			return null;
		}
		return pile.ballot().equals(ballot) ? pile.floor()
				: new Standing(pile.promise(), pile.sequence(), without(pile.floor(), ballot));
	}

	private void replace(Key key, @Nullable Standing old, @Nullable Standing pile) {
		count(old, -1);
		count(pile, 1);
		this.changed.add(key);
		if (pile == null) {
			this.standing.remove(key);
		}
		else {
			this.standing.put(key, pile);
		}
	}

	private void count(@Nullable Standing pile, int times) {
		for (Standing each = pile; each != null; each = each.floor()) {
			this.number += times;
			this.sizeBytes += (long) times * each.recordSize();
		}
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
		Standing old = isEmpty() ? null : this.standing.get(key);
		if (old != null) {
			replace(key, old, above(old, timestamp));
		}
	}

	private static @Nullable Standing above(@Nullable Standing pile, Timestamp timestamp) {
		if (pile == null || !pile.ballot().isAfter(timestamp)) {
			return null;
		}
		return new Standing(pile.promise(), pile.sequence(), above(pile.floor(), timestamp));
	}

	/** Forgets the promises of keys that the store has lost. */
	public void drop(Predicate<Key> lost) {
		List.copyOf(this.standing.keySet())
			.stream()
			.filter(lost)
			.forEach((key) -> replace(key, this.standing.get(key), null));
	}

	/** Hands over the records that make another log stand where this one does. */
	public void forEach(BiConsumer<Key, StoredEntry> records) {
		this.standing.forEach((key, pile) -> carry(key, pile, records));
	}

	private static void carry(Key key, @Nullable Standing pile, BiConsumer<Key, StoredEntry> records) {
		if (pile != null) {
			carry(key, pile.floor(), records);
			records.accept(key, pile.entry());
		}
	}

	/** Shows others what has changed since the last call. */
	public void publish() {
		if (this.changed.isEmpty()) {
			return;
		}
		for (Key key : this.changed) {
			Standing highest = this.standing.get(key);
			if (highest == null) {
				this.seen.remove(key);
			}
			else {
				this.seen.put(key, highest.promise());
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
