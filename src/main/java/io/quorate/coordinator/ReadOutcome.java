package io.quorate.coordinator;

import io.quorate.entry.Entry;

/** What a quorum read finds. */
public sealed interface ReadOutcome {

	/** A value that has not expired. */
	record Found(Entry.Live entry) implements ReadOutcome {
	}

	/** Never written, deleted or expired. */
	record Missing() implements ReadOutcome {
	}

}
