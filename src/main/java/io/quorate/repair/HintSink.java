package io.quorate.repair;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;

/** Records the writes that a replica has missed, or may have missed. */
public interface HintSink {

	/** Records nothing: reads and comparisons have to find the missing entries. */
	HintSink FORGOTTEN = (_, _, _) -> {
	};

	/**
	 * Records that a node did not acknowledge an entry that another replica holds, or may
	 * hold. Called at most once for each node and timestamp, from any thread; neither
	 * blocks nor fails. If a write was given a new timestamp, its earlier entries may be
	 * reported as well.
	 */
	void missed(Key key, Entry entry, String node);

}
