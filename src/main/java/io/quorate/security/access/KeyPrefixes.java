package io.quorate.security.access;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;

/**
 * A set of keys, given by prefixes: none, all, or those that begin with one of them. No
 * prefix begins with another one, so that a binary search finds the only one that a key
 * can have.
 */
final class KeyPrefixes {

	/** No key. */
	static final KeyPrefixes NONE = new KeyPrefixes(false);

	/** Every key. */
	static final KeyPrefixes ALL = new KeyPrefixes(true);

	private final boolean isAll;

	private final Key[] sorted;

	private KeyPrefixes(boolean isAll, Key... sorted) {
		this.isAll = isAll;
		this.sorted = sorted;
	}

	/** The keys that begin with one of these. */
	static KeyPrefixes of(Collection<Key> prefixes) {
		Key[] sorted = prefixes.toArray(Key[]::new);
		Arrays.sort(sorted);
		int disjoint = 0;
		for (Key prefix : sorted) {
			if (disjoint == 0 || !prefix.startsWith(sorted[disjoint - 1])) {
				sorted[disjoint++] = prefix;
			}
		}
		return (disjoint == 0) ? NONE : new KeyPrefixes(false, Arrays.copyOf(sorted, disjoint));
	}

	boolean isEmpty() {
		return !this.isAll && this.sorted.length == 0;
	}

	boolean has(Key key) {
		return this.isAll || prefixOf(key) >= 0;
	}

	/** Whether one prefix has all keys that can be in a range. */
	boolean hasAllOf(ScanRange range) {
		if (this.isAll) {
			return true;
		}
		Key end = range.end();
		int at = prefixOf(range.start());
		return end != null && at >= 0 && Arrays.compareUnsigned(end.array(), behind(this.sorted[at])) <= 0;
	}

	/*
	 * The position of the greatest prefix that is not behind the key, if the key has it.
	 */
	private int prefixOf(Key key) {
		int found = Arrays.binarySearch(this.sorted, key);
		int at = (found >= 0) ? found : -found - 2;
		return (at >= 0 && key.startsWith(this.sorted[at])) ? at : -1;
	}

	/*
	 * The least bytes behind all that begin with a prefix: UTF-8 has no byte 0xff, so the
	 * last one can always be incremented.
	 */
	private static byte[] behind(Key prefix) {
		byte[] bytes = prefix.array().clone();
		bytes[bytes.length - 1]++;
		return bytes;
	}

	/** The prefixes as text, or the word {@code all}. */
	List<String> words() {
		return this.isAll ? List.of("all")
				: Arrays.stream(this.sorted)
					.map((prefix) -> new String(prefix.array(), StandardCharsets.UTF_8))
					.toList();
	}

}
