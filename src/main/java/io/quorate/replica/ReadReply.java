package io.quorate.replica;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Summary;
import org.jspecify.annotations.Nullable;

/** A replica's reply to a read. */
public sealed interface ReadReply {

	/** Whether the entry that the replica holds has a timestamp. */
	default boolean isOf(Timestamp timestamp) {
		return timestamp.equals(timestamp());
	}

	/**
	 * Whether the replica holds an entry of a plain write, which no round has carried on.
	 */
	default boolean isPlain() {
		return switch (this) {
			case Found(var entry) -> entry.lineage() == null;
			case Summarized(var summary) -> summary.lineage() == null;
			case Absent _, Failed _ -> false;
		};
	}

	/** Timestamp of the entry that the replica holds, {@code null} for none. */
	default @Nullable Timestamp timestamp() {
		return switch (this) {
			case Found(var entry) -> entry.timestamp();
			case Summarized(var summary) -> summary.timestamp();
			case Absent _, Failed _ -> null;
		};
	}

	/** The replica holds this entry, which may be a tombstone or expired. */
	record Found(Entry entry) implements ReadReply {
	}

	/**
	 * The replica holds this entry, with a value of more bytes than were asked for; the
	 * entry may be expired.
	 */
	record Summarized(Summary summary) implements ReadReply {
	}

	/** The replica holds no entry of the key. */
	record Absent() implements ReadReply {
	}

	/** The replica cannot answer. */
	record Failed(Failure failure) implements ReadReply {
	}

}
