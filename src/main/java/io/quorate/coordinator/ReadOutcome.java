package io.quorate.coordinator;

import io.quorate.entry.Entry;

/** The result of a quorum read of one key: the live value that wins, or its absence. */
public sealed interface ReadOutcome {

	/** A value that has not expired. */
	record Found(Entry.Live entry) implements ReadOutcome {
	}

	/** No value: never written, deleted or expired. */
	record Missing() implements ReadOutcome {
	}

}
