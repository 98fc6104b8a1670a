package io.quorate.backup;

import java.nio.file.Path;

import io.quorate.storage.file.InstantName;
import io.quorate.storage.snapshot.SnapshotList;

/**
 * A backup that is there.
 *
 * @param takenMillis when it was taken
 * @param sequence number of the latest arrival in it
 * @param files how many files it has
 * @param sizeBytes bytes of all of them, also of those that the store has itself
 */
public record Backup(Path directory, long takenMillis, long sequence, int files, long sizeBytes) {

	static Backup read(Path directory) {
		SnapshotList list = SnapshotList.read(directory);
		return new Backup(directory, list.takenMillis(), list.sequence(), list.files().size() + 1, list.sizeBytes());
	}

	/** Whether a directory is called as backups are. */
	static boolean isNamed(Path directory) {
		return InstantName.millisOf(directory.getFileName().toString()).isPresent();
	}

	/** Its name: the instant at which it was begun. */
	public String name() {
		return this.directory.getFileName().toString();
	}

}
