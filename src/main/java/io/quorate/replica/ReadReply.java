package io.quorate.replica;

import io.quorate.entry.Entry;
import io.quorate.entry.Summary;

/** A replica's reply to a read. */
public sealed interface ReadReply {

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
