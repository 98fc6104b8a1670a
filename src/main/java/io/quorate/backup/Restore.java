package io.quorate.backup;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Set;

import io.quorate.membership.agreement.RecordedLayout;
import io.quorate.repair.record.RestoredRecords;
import io.quorate.storage.FileProgress;
import io.quorate.storage.StorageException;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.file.DirectoryEntries;
import io.quorate.storage.restore.Restoration.Options;
import io.quorate.storage.restore.Restoration.Restored;
import io.quorate.storage.restore.Restoration;
import io.quorate.storage.snapshot.SnapshotList;
import org.jspecify.annotations.Nullable;

/**
 * The restoration of a backup for an operator: verifies it, installs it as the directory
 * of a node that does not run, and says so.
 */
public final class Restore {

	private static final String REPLACED = "replaced";

	private Restore() {
	}

	/**
	 * Verifies a backup by all of its checksums.
	 * @throws StorageException or {@link IOException} if it is not whole
	 */
	public static void verify(Path snapshot, FileProgress progress, PrintStream out) throws IOException {
		say(out, "is whole", snapshot, Restoration.verify(snapshot, progress));
		RecordedLayout layout = layoutOf(snapshot);
		if (layout != null) {
			out.println("Layout: " + layout);
		}
	}

	/**
	 * The layout that the tables of a backup are of, {@code null} if it has none.
	 * @throws StorageStartException when it is not known
	 * @throws IOException when it is damaged
	 */
	static @Nullable RecordedLayout layoutOf(Path snapshot) throws IOException {
		RecordedLayout recorded = RecordedLayout.read(snapshot);
		return (recorded != null) ? recorded.at(Restoration.floors(snapshot).layout()) : null;
	}

	/**
	 * Verifies a backup and installs a copy of it.
	 * @throws StorageException or {@link IOException} if it is not whole or cannot be
	 * installed, and if a whole cluster is to be restored and the node was no member, or
	 * its keys have moved and the backup has no layout
	 */
	public static void install(Path snapshot, Target target, FileProgress progress, PrintStream out)
			throws IOException {
		if (target.isWholeCluster()) {
			WholeCluster records = new WholeCluster(beginning(snapshot));
			install(snapshot, target, records, progress, out);
			out.println(
					"Layout: " + ((records.layout != null) ? records.layout : "the first one, of the configuration"));
			out.println("Incarnation %d of the cluster: restore all other nodes the same way before one is started."
				.formatted(records.incarnation));
		}
		else {
			install(snapshot, target, (directory) -> ofOneNode(snapshot, directory), progress, out);
			out.println("Its peers will notice when it is started, and it will be rebuilt from them.");
		}
	}

	private static void install(Path snapshot, Target target, Restoration.Records records, FileProgress progress,
			PrintStream out) throws IOException {
		Options options = new Options(Set.of(BackupProperties.IN_STORE, REPLACED), target.isReplacing(), REPLACED,
				records);
		say(out, "is restored to " + target.directory(), snapshot,
				Restoration.run(snapshot, target.directory(), options, progress));
	}

	/* It begins with the first layout, and learns that of its peers. */
	private static void ofOneNode(Path snapshot, Path directory) throws IOException {
		RestoredRecords.ofOneNode(directory);
		DirectoryEntries.deleteIfExists(directory.resolve(RecordedLayout.FILE_NAME));
		Restoration.forgetLosses(directory, SnapshotList.read(snapshot).sequence());
	}

	/* The layout that a node of a restored cluster begins with, null for the first. */
	private static @Nullable RecordedLayout beginning(Path snapshot) throws IOException {
		SnapshotList.read(snapshot);
		RecordedLayout layout = layoutOf(snapshot);
		Restoration.Floored floors = Restoration.floors(snapshot);
		if (layout == null && floors.areRaised()) {
			throw new StorageStartException(
					"%s is of a cluster whose members or replication factor have changed since its first start, and has no layout: as a whole the cluster cannot be restored from such backups, only node by node while a majority runs"
						.formatted(snapshot),
					null);
		}
		String node = Restoration.ownerOf(snapshot);
		if (layout != null && !layout.names(node)) {
			throw new StorageStartException(
					"%s was no member of the cluster when %s was taken (%s): start it with an empty directory, once the others serve, and add it then"
						.formatted(node, snapshot, layout),
					null);
		}
		// A member that is alone since a recovery is not so by its configuration.
		boolean isFirst = layout == null || floors.layout() == 0
				|| (layout.isOfOneMember() && !floors.areRaised() && !layout.isOfARecovery());
		return isFirst ? null : layout;
	}

	private static void say(PrintStream out, String what, Path snapshot, Restored restored) {
		out.printf("%s, taken %s, %s: %d entries in tables, %d files, %d bytes%n", snapshot,
				Instant.ofEpochMilli(restored.list().takenMillis()), what, restored.entries(),
				restored.list().files().size() + 1, restored.list().sizeBytes());
	}

	/** The records of a node all of whose peers are restored, too. */
	private static final class WholeCluster implements Restoration.Records {

		private final @Nullable RecordedLayout layout;

		private long incarnation;

		private WholeCluster(@Nullable RecordedLayout layout) {
			this.layout = layout;
		}

		@Override
		public void complete(Path directory) throws IOException {
			if (this.layout != null) {
				this.layout.write(directory);
			}
			else {
				DirectoryEntries.deleteIfExists(directory.resolve(RecordedLayout.FILE_NAME));
				Restoration.forgetFloors(directory);
			}
			this.incarnation = RestoredRecords.ofWholeCluster(directory);
		}

		@Override
		public boolean areOfWholeCluster() {
			return true;
		}

	}

	/**
	 * The directory that a backup is installed in.
	 *
	 * @param directory the directory
	 * @param isWholeCluster whether every node of the cluster is restored, so that they
	 * forget what they have seen of each other
	 * @param isReplacing whether the present contents of the directory are set aside
	 * first
	 */
	public record Target(Path directory, boolean isWholeCluster, boolean isReplacing) {
	}

}
