package io.quorate.storage;

import io.quorate.entry.Entry;
import io.quorate.entry.Summary;

/** What a store holds of a key. */
public sealed interface ReadResult {

	/** An entry, which may be a tombstone or expired. */
	record Found(Entry entry) implements ReadResult {
	}

	/** An entry with a value of more bytes than were asked for. */
	record Summarized(Summary summary) implements ReadResult {
	}

	/** Nothing. */
	enum Absent implements ReadResult {

		/** The one of its kind. */
		INSTANCE

	}

}
