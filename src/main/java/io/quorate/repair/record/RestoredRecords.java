package io.quorate.repair.record;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import io.quorate.storage.file.DirectoryEntries;

/**
 * The records of a node on itself and its peers, in snapshots and in a directory that is
 * restored from one. The losses that earlier rebuilds repaired are not among them: they
 * were losses of other data.
 */
public final class RestoredRecords {

	/** Names of the files that belong into a snapshot. */
	public static final List<String> NAMES = List.of(PeerRecords.FILE_NAME, Horizon.FILE_NAME);

	private RestoredRecords() {
	}

	/**
	 * Prepares one node of a cluster that runs on: its peers report its earlier
	 * positions.
	 */
	public static void ofOneNode(Path directory) throws IOException {
		DirectoryEntries.deleteIfExists(directory.resolve(PeerRecords.FILE_NAME));
	}

	/**
	 * Prepares a node of a cluster all of whose nodes are restored, or of the members
	 * that are left without a majority: begins an incarnation, in which nodes have no
	 * records of each other.
	 * @return number of the incarnation
	 */
	public static long ofWholeCluster(Path directory) throws IOException {
		PeerRecords records = PeerRecords.open(directory);
		records.begin(Math.max(records.incarnation(), 0) + 1, records.history());
		records.save();
		return records.incarnation();
	}

}
