package io.quorate.backup;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.quorate.repair.record.RestoredRecords;
import io.quorate.storage.FileProgress;
import io.quorate.storage.StorageException;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.restore.Restoration.Options;
import io.quorate.storage.restore.Restoration.Restored;
import io.quorate.storage.restore.Restoration;

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
	}

	/**
	 * Verifies a backup and installs a copy of it.
	 * @throws StorageException or {@link IOException} if it is not whole or cannot be
	 * installed, and if a whole cluster is to be restored whose members have changed: a
	 * backup has no layout, and the first one does not fit
	 */
	public static void install(Path snapshot, Target target, FileProgress progress, PrintStream out)
			throws IOException {
		if (target.isWholeCluster() && Restoration.hasFloors(snapshot)) {
			throw new StorageStartException(
					"%s is of a cluster whose members or replication factor have changed since its first start: as a whole it cannot be restored from backups, only node by node while a majority runs"
						.formatted(snapshot),
					null);
		}
		List<Long> incarnation = new ArrayList<>();
		Options installed = new Options(Set.of(BackupProperties.IN_STORE, REPLACED), target.isReplacing(), REPLACED,
				(directory) -> {
					if (target.isWholeCluster()) {
						Restoration.forgetLayout(directory);
						incarnation.add(RestoredRecords.ofWholeCluster(directory));
					}
					else {
						RestoredRecords.ofOneNode(directory);
					}
				});
		say(out, "is restored to " + target.directory(), snapshot,
				Restoration.run(snapshot, target.directory(), installed, progress));
		out.println(target.isWholeCluster()
				? "Incarnation %d of the cluster: restore all other nodes the same way before one is started."
					.formatted(incarnation.getFirst())
				: "Its peers will notice when it is started, and it will be rebuilt from them.");
	}

	private static void say(PrintStream out, String what, Path snapshot, Restored restored) {
		out.printf("%s, taken %s, %s: %d entries in tables, %d files, %d bytes%n", snapshot,
				Instant.ofEpochMilli(restored.list().takenMillis()), what, restored.entries(),
				restored.list().files().size() + 1, restored.list().sizeBytes());
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
