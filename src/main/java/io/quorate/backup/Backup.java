package io.quorate.backup;

import java.io.IOException;
import java.nio.file.Path;

import io.quorate.membership.RecordedLayout;
import io.quorate.storage.StorageException;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.file.InstantName;
import io.quorate.storage.snapshot.SnapshotList;
import org.jspecify.annotations.Nullable;

/**
 * A complete backup of this node.
 *
 * @param takenMillis time at which it was taken
 * @param sequence number of the latest arrival in it
 * @param files number of its files
 * @param sizeBytes bytes of all files, also of those that it shares with the store
 * @param layout layout that its tables are of, {@code null} when it has none
 */
public record Backup(Path directory, long takenMillis, long sequence, int files, long sizeBytes,
		@Nullable RecordedLayout layout) {

	/**
	 * Reads what a backup says of itself.
	 * @throws StorageException when it is none, or not whole
	 */
	static Backup read(Path directory) {
		SnapshotList list = SnapshotList.read(directory);
		try {
			return new Backup(directory, list.takenMillis(), list.sequence(), list.files().size() + 1, list.sizeBytes(),
					Restore.layoutOf(directory));
		}
		catch (IOException failure) {
			throw new StorageStartException("%s cannot be read: %s".formatted(directory, failure), failure);
		}
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
