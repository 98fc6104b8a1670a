package io.quorate.repair.purge;

import java.nio.file.Path;

/**
 * What this node writes down of itself and of its peers, beside its store.
 */
record OwnRecords(PeerBook peers, Horizon horizon, RebuildRecord rebuild) {

	/**
	 * Reads them; the directory belongs to this process.
	 * @param isNew whether the directory is new
	 * @param present hybrid time
	 */
	static OwnRecords open(Path directory, boolean isNew, long present) {
		return new OwnRecords(PeerBook.open(directory), Horizon.open(directory, isNew, present),
				RebuildRecord.open(directory));
	}

}
