package io.quorate.backup;

import java.nio.file.Path;

import io.quorate.storage.file.InstantName;
import io.quorate.storage.snapshot.SnapshotList;

/**
 * A complete backup of this node.
 *
 * @param takenMillis time at which it was taken
 * @param sequence number of the latest arrival in it
 * @param files number of its files
 * @param sizeBytes bytes of all files, also of those that it shares with the store
 */
public record Backup(Path directory, long takenMillis, long sequence, int files, long sizeBytes) {

	static Backup read(Path directory) {
		SnapshotList list = SnapshotList.read(directory);
		return new Backup(directory, list.takenMillis(), list.sequence(), list.files().size() + 1, list.sizeBytes());
	}

	/** Whether a directory has a name of backups. */
	static boolean isNamed(Path directory) {
		return InstantName.millisOf(directory.getFileName().toString()).isPresent();
	}

	/** Returns its name: the instant at which it was begun. */
	public String name() {
		return this.directory.getFileName().toString();
	}

}
