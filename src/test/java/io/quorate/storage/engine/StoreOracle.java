package io.quorate.storage.engine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Predicate;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.DiskFullException;
import io.quorate.storage.StorageOverloadedException;
import org.jspecify.annotations.Nullable;

/**
 * The permitted answers of a store: for each key the latest version known to be held, and
 * those written later whose outcome is not known. Timestamps of a key only grow here.
 */
final class StoreOracle {

	private final TreeMap<Key, Versions> keys = new TreeMap<>();

	/** A write was started. */
	void started(Key key, Entry entry, CompletableFuture<ApplyResult> outcome) {
		this.keys.computeIfAbsent(key, (_) -> new Versions()).open.add(new Write(entry, outcome));
	}

	/** The outcomes of all writes that are open. */
	List<CompletableFuture<ApplyResult>> outcomes() {
		return this.keys.values().stream().flatMap((versions) -> versions.open.stream()).map(Write::outcome).toList();
	}

	/**
	 * Takes note of the writes that have come to an end: to be done before a question,
	 * not between question and answer.
	 */
	void settle() {
		this.keys.values().forEach(Versions::settle);
	}

	/** From now on no outcome counts: the writes that are open stay open. */
	void freeze() {
		this.keys.values()
			.forEach((versions) -> versions.open
				.replaceAll((write) -> new Write(write.entry(), new CompletableFuture<>())));
	}

	/**
	 * No write is open any more: the store holds what it answered last, or something
	 * newer that reads as absent.
	 */
	void adopt(long nowMillis) {
		this.keys.values().forEach((versions) -> versions.adopt(nowMillis));
	}

	/**
	 * A version that a store may hold.
	 *
	 * @param isCertain whether it holds this one, if none that is later
	 */
	record Possible(Entry entry, boolean isCertain) {
	}

	/**
	 * Forgets everything, and says which versions of each key may be held, the latest
	 * last: more than one if those after the first read as absent, or were answered as
	 * superseded by what only may be there.
	 */
	Map<Key, List<Possible>> take() {
		Map<Key, List<Possible>> taken = new TreeMap<>();
		this.keys.forEach((key, versions) -> taken.put(key, versions.possible()));
		this.keys.clear();
		return taken;
	}

	/** Forgets some keys: nothing of them is to be found, as if never written. */
	void forget(Predicate<Key> some) {
		this.keys.keySet().removeIf(some);
	}

	/** The version that is held, or {@code null} when that is not known for certain. */
	@Nullable Entry held(Key key) {
		Versions versions = this.keys.get(key);
		return (versions != null && versions.open.isEmpty()) ? versions.held : null;
	}

	/** The keys of a range that were ever written. */
	NavigableSet<Key> keysOf(ScanRange range) {
		Key end = range.end();
		return (end != null) ? keys().subSet(range.start(), true, end, false) : keys().tailSet(range.start(), true);
	}

	/** The keys that were ever written. */
	NavigableSet<Key> keys() {
		return this.keys.navigableKeySet();
	}

	/**
	 * Judges an answer, and learns from it: what was read once is held from then on.
	 * @return what is wrong with it, or {@code null}
	 */
	@Nullable String judge(Key key, @Nullable Entry found, long nowMillis) {
		Versions versions = this.keys.get(key);
		if (versions == null) {
			return (found == null) ? null : "never written, but there is " + found;
		}
		return (found != null) ? versions.judge(found) : versions.judgeAbsence(nowMillis);
	}

	/** A write whose outcome is not known. */
	private record Write(Entry entry, CompletableFuture<ApplyResult> outcome) {

		/** Whether its outcome is known; if so and it was stored, it is taken note of. */
		boolean isOver(Versions versions) {
			if (!this.outcome.isDone()) {
				return false;
			}
			try {
				return switch (this.outcome.join()) {
					case ApplyResult.Applied _ -> {
						versions.hold(this.entry);
						yield true;
					}
					case ApplyResult.Superseded beyond -> {
						if (!beyond.by().isAfter(this.entry.timestamp())) {
							throw new AssertionError(this.entry + " was superseded by the older " + beyond.by());
						}
						yield false;
					}
					case ApplyResult.Promised _ -> true;
				};
			}
			catch (CompletionException ex) {
				if (ex.getCause() instanceof StorageOverloadedException || ex.getCause() instanceof DiskFullException) {
					return true;
				}
				throw ex;
			}
		}

	}

	/** The versions of a key. */
	private static final class Versions {

		private final List<Write> open = new ArrayList<>();

		private final List<Entry> hidden = new ArrayList<>();

		private @Nullable Entry held;

		void adopt(long nowMillis) {
			this.open.stream()
				.map(Write::entry)
				.filter((entry) -> entry.isAbsentAt(nowMillis))
				.forEach(this.hidden::add);
			this.open.clear();
		}

		List<Possible> possible() {
			List<Possible> possible = new ArrayList<>();
			this.hidden.forEach((entry) -> possible.add(new Possible(entry, false)));
			this.open.forEach((write) -> possible.add(new Possible(write.entry(), false)));
			if (this.held != null) {
				possible.add(new Possible(this.held, true));
			}
			possible.sort(Comparator.comparing((each) -> each.entry().timestamp()));
			return possible;
		}

		void settle() {
			List<Write> over = this.open.stream().filter((write) -> write.isOver(this)).toList();
			this.open.removeAll(over);
			dropOlder();
		}

		void hold(Entry entry) {
			Entry before = this.held;
			if (before == null || entry.timestamp().isAfter(before.timestamp())) {
				this.held = entry;
			}
		}

		@Nullable String judge(Entry found) {
			boolean possible = found.equals(this.held) || this.hidden.contains(found)
					|| this.open.stream().anyMatch((write) -> write.entry().equals(found));
			if (!possible) {
				return "there is %s, expected %s or one of %s".formatted(found, this.held, this.open);
			}
			hold(found);
			dropOlder();
			return null;
		}

		@Nullable String judgeAbsence(long nowMillis) {
			Entry current = this.held;
			if (current == null || current.isAbsentAt(nowMillis)) {
				return null;
			}
			for (Write write : this.open) {
				if (write.entry().isAbsentAt(nowMillis)) {
					hold(write.entry());
					dropOlder();
					return null;
				}
			}
			return "nothing is there, expected %s or one of %s".formatted(current, this.open);
		}

		private void dropOlder() {
			Entry current = this.held;
			if (current != null) {
				this.open.removeIf((write) -> !write.entry().timestamp().isAfter(current.timestamp()));
				this.hidden.removeIf((entry) -> !entry.timestamp().isAfter(current.timestamp()));
			}
		}

	}

}
