package io.quorate.backup;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.quorate.repair.record.RestoredRecords;
import io.quorate.storage.StorageException;
import io.quorate.storage.restore.Restoration.Options;
import io.quorate.storage.restore.Restoration.Restored;
import io.quorate.storage.restore.Restoration;

/**
 * The commands {@code restore [--whole-cluster] [--replace] SNAPSHOT DIRECTORY} and
 * {@code restore --verify SNAPSHOT}: verify a backup, and install it as the directory of
 * a node that does not run. They exit with 0, with 1 if that cannot be done, with 2 if
 * the arguments are wrong.
 */
public final class RestoreCommand {

	private static final String USAGE = """
			restore [--whole-cluster] [--replace] SNAPSHOT DIRECTORY
			restore --verify SNAPSHOT

			Verifies the backup in SNAPSHOT, by all of its checksums, and installs a copy of it as DIRECTORY
			(quorate.storage.directory) of a node that does not run. DIRECTORY must be empty, but for backups.

			  --whole-cluster   every node of the cluster is restored: the nodes forget all that they have seen of each other.
			                    Without it peers notice that the node has less than it had, and it is rebuilt from them.
			  --replace         moves the contents of DIRECTORY to DIRECTORY/replaced/<instant> first, to be deleted by hand.
			  --verify          only verifies the backup.
			""";

	private static final String REPLACED = "replaced";

	private RestoreCommand() {
	}

	/** Runs the command. */
	public static int run(List<String> arguments, PrintStream out, PrintStream err) {
		Set<String> options = Set.copyOf(arguments.stream().filter((word) -> word.startsWith("--")).toList());
		List<Path> paths = arguments.stream().filter((word) -> !word.startsWith("--")).map(Path::of).toList();
		try {
			if (options.equals(Set.of("--verify")) && paths.size() == 1) {
				say(out, "is whole", paths.getFirst(), Restoration.verify(paths.getFirst()));
				return 0;
			}
			if (paths.size() == 2 && Set.of("--whole-cluster", "--replace").containsAll(options)) {
				restore(paths.getFirst(), paths.getLast(), options, out);
				return 0;
			}
			err.print(USAGE);
			return 2;
		}
		catch (IOException | StorageException failure) {
			err.println("Not " + (options.contains("--verify") ? "whole: " : "restored: ") + failure.getMessage());
			return 1;
		}
	}

	private static void restore(Path snapshot, Path directory, Set<String> options, PrintStream out)
			throws IOException {
		List<Long> incarnation = new ArrayList<>();
		boolean whole = options.contains("--whole-cluster");
		Options installed = new Options(Set.of(BackupProperties.IN_STORE, REPLACED), options.contains("--replace"),
				REPLACED, (target) -> {
					if (whole) {
						incarnation.add(RestoredRecords.ofWholeCluster(target));
					}
					else {
						RestoredRecords.ofOneNode(target);
					}
				});
		say(out, "is restored to " + directory, snapshot, Restoration.run(snapshot, directory, installed));
		out.println(whole
				? "Incarnation %d of the cluster: restore all other nodes the same way before one is started."
					.formatted(incarnation.getFirst())
				: "Its peers will notice when it is started, and it will be rebuilt from them.");
	}

	private static void say(PrintStream out, String what, Path snapshot, Restored restored) {
		out.printf("%s, taken %s, %s: %d entries in tables, %d files, %d bytes%n", snapshot,
				Instant.ofEpochMilli(restored.list().takenMillis()), what, restored.entries(),
				restored.list().files().size() + 1, restored.list().sizeBytes());
	}

}
