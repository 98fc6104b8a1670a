package io.quorate.spring.boot.session;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;
import org.springframework.session.MapSession;

/** The changes of one save, as the session was when it began. */
final class SessionChange {

	private static final Duration LONGEST = Duration.ofDays(3_650);

	private final String id;

	private final @Nullable String storedId;

	private final StoredSession head;

	private final boolean hasNewInterval;

	private final Instant lastAccess;

	private final Map<String, Optional<byte[]>> attributes;

	private final Map<String, Optional<Object>> values;

	SessionChange(MapSession session, @Nullable String storedId, boolean hasNewInterval,
			Map<String, Optional<byte[]>> attributes, Map<String, Optional<Object>> values) {
		this.id = session.getId();
		this.storedId = storedId;
		this.head = new StoredSession(session.getCreationTime().truncatedTo(ChronoUnit.MILLIS),
				session.getMaxInactiveInterval(), Map.of());
		this.hasNewInterval = hasNewInterval;
		this.lastAccess = session.getLastAccessedTime();
		this.attributes = attributes;
		this.values = values;
	}

	String id() {
		return this.id;
	}

	/** Returns the id that the session has in the store, {@code null} for a new one. */
	@Nullable String storedId() {
		return this.storedId;
	}

	Duration interval() {
		return this.head.interval();
	}

	/** Returns the changed attributes as the session has them. */
	Map<String, Optional<Object>> values() {
		return this.values;
	}

	/** Returns whether the time alone has to be renewed. */
	boolean isTouch() {
		return this.id.equals(this.storedId) && !this.hasNewInterval && this.attributes.isEmpty();
	}

	boolean isOf(StoredSession other) {
		return this.head.creation().equals(other.creation());
	}

	StoredSession created() {
		return onto(this.head);
	}

	/** Returns another version of the session with this change. */
	StoredSession onto(StoredSession other) {
		Map<String, byte[]> merged = new TreeMap<>(other.attributes());
		this.attributes.forEach((name, value) -> {
			if (value.isPresent()) {
				merged.put(name, value.get());
			}
			else {
				merged.remove(name);
			}
		});
		return new StoredSession(other.creation(), this.hasNewInterval ? this.head.interval() : other.interval(),
				merged);
	}

	/**
	 * Returns the time that a session has from now on, in whole seconds; zero if it is
	 * over.
	 */
	Duration ttl(Duration interval) {
		if (interval.isNegative() || interval.compareTo(LONGEST) > 0) {
			return LONGEST;
		}
		Duration left = Duration.between(Instant.now(), this.lastAccess.plus(interval));
		if (left.isNegative() || left.isZero()) {
			return Duration.ZERO;
		}
		return (left.toNanosPart() > 0) ? Duration.ofSeconds(left.toSeconds() + 1) : left;
	}

}
