package io.quorate.coordinator;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import org.jspecify.annotations.Nullable;

/** The result of a quorum read of one key: the live value that wins, or its absence. */
public sealed interface ReadOutcome {

	/** A value that has not expired. */
	record Found(Entry.Live entry) implements ReadOutcome {
	}

	/**
	 * No value: never written, deleted or expired.
	 *
	 * @param version by a linearizable read, the version of the deletion, or of the value
	 * that has expired; {@code null} when there was neither, or the read is another one
	 */
	record Missing(@Nullable Timestamp version) implements ReadOutcome {

		/** No value, of whichever version. */
		public Missing() {
			this(null);
		}

	}

}
