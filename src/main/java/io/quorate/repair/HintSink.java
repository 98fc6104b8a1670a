package io.quorate.repair;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;

/** Takes note of the writes that a replica has missed, or may have. */
public interface HintSink {

	/** Takes note of nothing: reads and comparisons have to find what is missing. */
	HintSink FORGOTTEN = (_, _, _) -> {
	};

	/**
	 * A node did not acknowledge an entry that another replica holds, or may hold. Told
	 * at most once for each node and stamp, from any thread; neither blocks nor fails. Of
	 * a write that was stamped anew the earlier entries may be told as well.
	 */
	void missed(Key key, Entry entry, String node);

}
