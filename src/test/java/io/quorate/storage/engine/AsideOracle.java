package io.quorate.storage.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.storage.engine.StoreOracle.Possible;
import org.jspecify.annotations.Nullable;

/**
 * The versions of each key that may be found in set-aside data: the latest one, or an
 * earlier one if a purge had dropped all later ones.
 */
final class AsideOracle {

	private final TreeMap<Key, List<Possible>> keys = new TreeMap<>();

	/** More was set aside; none of it is older than what is there of its key. */
	void add(Map<Key, List<Possible>> added) {
		added.forEach((key, entries) -> {
			List<Possible> versions = this.keys.computeIfAbsent(key, (_) -> new ArrayList<>());
			entries.stream().filter((entry) -> !isAmong(versions, entry)).forEach(versions::addFirst);
		});
	}

	private static boolean isAmong(List<Possible> versions, Possible one) {
		return versions.stream().anyMatch((version) -> version.entry().equals(one.entry()));
	}

	/** Forgets some keys: nothing of them is to be found. */
	void forget(Predicate<Key> some) {
		this.keys.keySet().removeIf(some);
	}

	void clear() {
		this.keys.clear();
	}

	/** The keys of which something was ever set aside. */
	Set<Key> keys() {
		return this.keys.keySet();
	}

	/**
	 * Judges what was found of a key.
	 * @return what is wrong with it, or {@code null}
	 */
	@Nullable String judge(Key key, @Nullable Entry found, long nowMillis) {
		for (Possible version : this.keys.getOrDefault(key, List.of())) {
			if (version.entry().equals(found)) {
				return null;
			}
			if (version.isCertain() && !version.entry().isAbsentAt(nowMillis)) {
				return "%s is aside, expected %s".formatted(found, version);
			}
		}
		return (found == null) ? null : "never set aside, but there is " + found;
	}

}
