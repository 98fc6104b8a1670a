package io.quorate.entry;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.quorate.clock.Timestamp;
import org.jspecify.annotations.Nullable;

/**
 * The condition of a write on the version that it replaces (RFC 9110, 13.1.1 and 13.1.2),
 * and on its not having been done before. All parts must hold. A key without a value, be
 * it never written, deleted or expired, has no version that a condition can name.
 *
 * @param match versions of which the key must hold one, {@code null} for no such demand
 * @param noneMatch versions of which the key must hold none, {@code null} for no such
 * demand
 * @param once key by which the client may repeat the write, {@code null} for none: it is
 * looked up in the history of the key, before the versions
 */
public record Condition(@Nullable Versions match, @Nullable Versions noneMatch, @Nullable IdempotencyKey once) {

	/** A condition on versions alone. */
	public Condition(@Nullable Versions match, @Nullable Versions noneMatch) {
		this(match, noneMatch, null);
	}

	/** The condition that always holds. */
	public static final Condition NONE = new Condition(null, null);

	/** The condition that the key has no value. */
	public static final Condition ABSENT = new Condition(null, Versions.ANY);

	/**
	 * Whether the condition holds for what a key holds.
	 * @param held entry of the key, {@code null} for none
	 * @param nowMillis instant by which its expiry is judged
	 */
	public boolean isMetBy(@Nullable Versioned held, long nowMillis) {
		return isMetBy((held != null && !held.isAbsentAt(nowMillis)) ? held.version() : null);
	}

	/**
	 * Whether the condition holds for a version.
	 * @param version that of the value that the key has, {@code null} for none
	 */
	public boolean isMetBy(@Nullable Timestamp version) {
		if (this.match != null && (version == null || !this.match.include(version))) {
			return false;
		}
		return this.noneMatch == null || version == null || !this.noneMatch.include(version);
	}

	/** The same for a write that its client may repeat. */
	public Condition once(IdempotencyKey key) {
		return new Condition(this.match, this.noneMatch, key);
	}

	/** Whether the condition holds whatever the key holds. */
	public boolean isNone() {
		return this.match == null && this.noneMatch == null;
	}

	/**
	 * Some versions of a key.
	 *
	 * @param isAny whether they are all that there are
	 * @param named the versions, if they are not all
	 */
	public record Versions(boolean isAny, Set<Timestamp> named) {

		/** All versions. */
		public static final Versions ANY = new Versions(true, Set.of());

		public Versions {
			named = Set.copyOf(named);
		}

		/** The versions with these timestamps, of which none may be left. */
		public static Versions of(List<Timestamp> named) {
			return new Versions(false, new HashSet<>(named));
		}

		private boolean include(Timestamp version) {
			return this.isAny || this.named.contains(version);
		}

	}

}
