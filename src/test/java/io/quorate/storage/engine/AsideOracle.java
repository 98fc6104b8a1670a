package io.quorate.storage.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import org.jspecify.annotations.Nullable;

/**
 * What may be found of each key in what was set aside: the latest version, or an earlier
 * one if a purge had dropped all that came after it.
 */
final class AsideOracle {

	private final TreeMap<Key, List<Entry>> keys = new TreeMap<>();

	/** More was set aside; none of it is older than what is there of its key. */
	void add(Map<Key, List<Entry>> added) {
		added.forEach((key, entries) -> {
			List<Entry> versions = this.keys.computeIfAbsent(key, (_) -> new ArrayList<>());
			entries.stream().filter((entry) -> !versions.contains(entry)).forEach(versions::addFirst);
		});
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
		for (Entry version : this.keys.getOrDefault(key, List.of())) {
			if (version.equals(found)) {
				return null;
			}
			if (!version.isAbsentAt(nowMillis)) {
				return "%s is aside, expected %s".formatted(found, version);
			}
		}
		return (found == null) ? null : "never set aside, but there is " + found;
	}

}
