package io.quorate.repair.purge;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import io.quorate.storage.file.DirectoryEntries;

/**
 * What a node has written down of itself and of its peers, in snapshots and in a
 * directory that is restored from one. What earlier rebuilds have settled is not among
 * it: it was settled for other data.
 */
public final class RestoredRecords {

	/** Names of the files that belong into a snapshot. */
	public static final List<String> NAMES = List.of(PeerRecords.FILE_NAME, Horizon.FILE_NAME);

	private RestoredRecords() {
	}

	/** Of one node of a cluster that lives on: what it had seen is its peers' to tell. */
	public static void ofOneNode(Path directory) throws IOException {
		DirectoryEntries.deleteIfExists(directory.resolve(PeerRecords.FILE_NAME));
	}

	/**
	 * Of a cluster all of whose nodes are restored: a new incarnation, which forgets what
	 * nodes have seen of each other before.
	 * @return its number
	 */
	public static long ofWholeCluster(Path directory) throws IOException {
		PeerRecords book = PeerRecords.open(directory);
		book.begin(book.incarnation() + 1);
		book.save();
		return book.incarnation();
	}

}
