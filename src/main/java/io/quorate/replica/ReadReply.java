package io.quorate.replica;

import io.quorate.entry.Entry;
import io.quorate.entry.Summary;

/** What a replica says to a read. */
public sealed interface ReadReply {

	/** It holds this, which may be a tombstone or expired. */
	record Found(Entry entry) implements ReadReply {
	}

	/**
	 * It holds this, with a value of more bytes than were asked for; it may be expired.
	 */
	record Summarized(Summary summary) implements ReadReply {
	}

	/** It holds nothing of the key. */
	record Absent() implements ReadReply {
	}

	/** It cannot say. */
	record Failed(Failure failure) implements ReadReply {
	}

}
