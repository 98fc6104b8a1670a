package io.quorate.entry;

import java.util.List;

import io.quorate.clock.Timestamp;
import org.jspecify.annotations.Nullable;

/**
 * The place of an entry in the history of its key. An entry has one when its timestamp
 * alone does not say it: because it was written on a known version, or is carried on
 * under a later timestamp than that of its write.
 *
 * @param version timestamp of the write, which clients see; the timestamp of the entry is
 * the same or later
 * @param parent version of what it was written on, {@link Timestamp#ZERO} when nothing
 * was held; {@code null} when that is not known
 * @param repeatable the last writes that clients may repeat, the newest first, at most
 * {@value #MOST_REPEATABLE}; a plain write ends them
 */
public record Lineage(Timestamp version, @Nullable Timestamp parent, List<Repeatable> repeatable) {

	/** The most writes of a key that are remembered. */
	public static final int MOST_REPEATABLE = 8;

	public Lineage {
		repeatable = List.copyOf(repeatable);
		if (repeatable.size() > MOST_REPEATABLE) {
			throw new IllegalArgumentException("%d writes to repeat".formatted(repeatable.size()));
		}
	}

	/** The lineage of an entry whose key has no writes that clients may repeat. */
	public Lineage(Timestamp version, @Nullable Timestamp parent) {
		this(version, parent, List.of());
	}

	/**
	 * A write in the history of a key that a client may repeat.
	 *
	 * @param key key that the client has given it
	 * @param version version that it has written
	 */
	public record Repeatable(IdempotencyKey key, Timestamp version) {
	}

}
