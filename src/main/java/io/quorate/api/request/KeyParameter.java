package io.quorate.api.request;

import java.util.Arrays;

import io.quorate.api.problem.ProblemException;
import io.quorate.entry.Key;
import org.jspecify.annotations.Nullable;

/**
 * Keys in parameters and paths: percent-encoded UTF-8 of 1 to 1,024 bytes. What is not
 * that is refused.
 */
public final class KeyParameter {

	/** Name of the parameter with the key of an entity. */
	public static final String KEY = "key";

	/** Another name of {@link #KEY}. */
	public static final String ID = "id";

	private KeyParameter() {
	}

	/**
	 * Returns the key of an entity, which has to be there, by either of its names.
	 * @throws ProblemException 400 when it is not, is no key, or there are two
	 */
	public static Key of(RawQuery query) {
		Key key = optional(query, KEY);
		Key id = optional(query, ID);
		if (key != null && id != null && !key.equals(id)) {
			throw ProblemException.badRequest("parameter 'key' stands beside another 'id': send one of them");
		}
		if (key != null) {
			return key;
		}
		return (id != null) ? id : key(KEY, requiredBytes(query, KEY));
	}

	/**
	 * Returns the key in a path.
	 * @param raw the encoded key
	 * @throws ProblemException 400 when it is no key
	 */
	public static Key inPath(String raw) {
		return key(null, PercentCoding.decodePath(raw));
	}

	/**
	 * Returns a key that may be there, {@code null} when it is not.
	 * @throws ProblemException 400 when it is there and is no key
	 */
	public static @Nullable Key optional(RawQuery query, String name) {
		String raw = query.raw(name);
		return (raw != null) ? key(name, PercentCoding.decode(name, raw)) : null;
	}

	/**
	 * The key at which a range starts. Besides a key it may be the longest key with a
	 * zero byte behind it, as clients write it to continue behind that key; no key can be
	 * that long, so the range starts at the next key that can exist.
	 * @throws ProblemException 400 when it is not there, or is no key
	 */
	public static Key start(RawQuery query, String name) {
		return border(name, requiredBytes(query, name));
	}

	/**
	 * The key at which a range ends, {@code null} when it is not there. It may be the
	 * longest key with a zero byte behind it, too, so that the range has that key.
	 * @throws ProblemException 400 when it is there and is no key
	 */
	public static @Nullable Key optionalEnd(RawQuery query, String name) {
		String raw = query.raw(name);
		return (raw != null) ? border(name, PercentCoding.decode(name, raw)) : null;
	}

	private static Key border(String name, byte[] bytes) {
		boolean behindLongest = bytes.length == Key.MAX_SIZE_BYTES + 1 && bytes[Key.MAX_SIZE_BYTES] == 0;
		return behindLongest ? afterAllWith(Arrays.copyOf(bytes, Key.MAX_SIZE_BYTES)) : key(name, bytes);
	}

	/** The first key that can exist behind another one. */
	public static Key behind(Key key) {
		return (key.size() < Key.MAX_SIZE_BYTES) ? Key.wrap(Arrays.copyOf(key.array(), key.size() + 1))
				: afterAllWith(key);
	}

	/** The first key behind all those with a prefix. */
	public static Key afterAllWith(Key prefix) {
		return afterAllWith(prefix.array().clone());
	}

	/* UTF-8 has no byte 0xff, so the last byte can always be incremented. */
	private static Key afterAllWith(byte[] prefix) {
		prefix[prefix.length - 1]++;
		return Key.wrap(prefix);
	}

	private static byte[] requiredBytes(RawQuery query, String name) {
		String raw = query.raw(name);
		if (raw == null) {
			throw ProblemException
				.badRequest("parameter '%s' is missing: it is a key of 1 to %d bytes, percent-encoded UTF-8"
					.formatted(name, Key.MAX_SIZE_BYTES));
		}
		return PercentCoding.decode(name, raw);
	}

	private static Key key(@Nullable String name, byte[] bytes) {
		if (bytes.length == 0 || bytes.length > Key.MAX_SIZE_BYTES) {
			throw ProblemException.badRequest("%s is %s: a key has 1 to %d bytes".formatted(PercentCoding.subject(name),
					(bytes.length == 0) ? "empty" : bytes.length + " bytes long", Key.MAX_SIZE_BYTES));
		}
		return Key.wrap(bytes);
	}

}
