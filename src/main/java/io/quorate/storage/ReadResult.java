package io.quorate.storage;

import io.quorate.entry.Entry;
import io.quorate.entry.Summary;

/** The result of a read of one key in a store. */
public sealed interface ReadResult {

	/** An entry, which may be a tombstone or expired. */
	record Found(Entry entry) implements ReadResult {
	}

	/** An entry with a value of more bytes than were asked for. */
	record Summarized(Summary summary) implements ReadResult {
	}

	/** No entry. */
	enum Absent implements ReadResult {

		/** The only instance. */
		INSTANCE

	}

}
