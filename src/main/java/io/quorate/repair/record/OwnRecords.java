package io.quorate.repair.record;

import java.nio.file.Path;
import java.util.Set;

/**
 * The files in which this node records facts of itself and its peers, beside its store.
 */
public record OwnRecords(PeerRecords peers, Horizon horizon, RebuildRecord rebuild) {

	/**
	 * Reads the files; the directory belongs to this process.
	 * @param members ids of all members, none if this node is not one of them
	 * @param isNew whether the directory is new
	 * @param present hybrid time
	 */
	static OwnRecords open(Path directory, Set<String> members, boolean isNew, long present) {
		PeerRecords peers = PeerRecords.open(directory);
		peers.keepOnly(members);
		return new OwnRecords(peers, Horizon.open(directory, isNew, present), RebuildRecord.open(directory));
	}

}
