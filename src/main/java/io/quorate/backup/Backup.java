package io.quorate.backup;

import java.io.IOException;
import java.nio.file.Path;

import io.quorate.membership.agreement.RecordedLayout;
import io.quorate.storage.StorageException;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.file.InstantName;
import io.quorate.storage.snapshot.SnapshotList;
import org.jspecify.annotations.Nullable;

/**
 * A complete backup of this node.
 *
 * @param takenMillis time at which it was taken
 * @param contents what it holds
 * @param layout layout that its tables are of, {@code null} when it has none
 * @param layoutUnknown reason for which its layout is not known, empty when it is, or
 * there is none: one node can be restored from it all the same, and a whole cluster
 * cannot
 */
public record Backup(Path directory, long takenMillis, Contents contents, @Nullable RecordedLayout layout,
		String layoutUnknown) {

	/**
	 * Reads what a backup says of itself.
	 * @throws StorageException when it is none, or not whole
	 */
	static Backup read(Path directory) {
		SnapshotList list = SnapshotList.read(directory);
		RecordedLayout layout = null;
		String unknown = "";
		try {
			layout = Restore.layoutOf(directory);
		}
		catch (StorageException why) {
			unknown = String.valueOf(why.getMessage());
		}
		catch (IOException failure) {
			throw new StorageStartException("%s cannot be read: %s".formatted(directory, failure), failure);
		}
		return new Backup(directory, list.takenMillis(),
				new Contents(list.sequence(), list.files().size() + 1, list.sizeBytes()), layout, unknown);
	}

	/** Whether a directory has a name of backups. */
	static boolean isNamed(Path directory) {
		return InstantName.millisOf(directory.getFileName().toString()).isPresent();
	}

	/** Returns its name: the instant at which it was begun. */
	public String name() {
		return this.directory.getFileName().toString();
	}

	/**
	 * The contents of a backup.
	 *
	 * @param sequence number of the latest arrival in it
	 * @param files number of its files
	 * @param sizeBytes bytes of all files, also of those that it shares with the store
	 */
	public record Contents(long sequence, int files, long sizeBytes) {
	}

}
