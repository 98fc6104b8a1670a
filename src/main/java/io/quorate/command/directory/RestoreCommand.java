package io.quorate.command.directory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;

import io.quorate.backup.Restore;
import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.FileFailure;
import io.quorate.command.terminal.Terminal;
import io.quorate.storage.StorageException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The subcommand {@code restore}: verifies a backup, and installs it as the directory of
 * a node that does not run.
 */
@Command(name = "restore", header = "Verifies a backup and installs it as the data of a stopped node.",
		customSynopsis = { "quorate restore [--whole-cluster] [--replace] BACKUP DIRECTORY",
				"       quorate restore --verify BACKUP" })
public final class RestoreCommand implements Callable<Integer> {

	private final Terminal terminal;

	@Option(names = "--whole-cluster",
			description = "Every node of the cluster is restored: the nodes forget all that they have seen of each other. "
					+ "Without it peers notice that the node has less than it had, and it is rebuilt from them.")
	private boolean isWholeCluster;

	@Option(names = "--replace",
			description = "Moves the contents of DIRECTORY to DIRECTORY/replaced/<instant> first, to be deleted by hand.")
	private boolean isReplacing;

	@Option(names = "--verify", description = "Only verifies the backup.")
	private boolean isVerifying;

	@Parameters(index = "0", paramLabel = "BACKUP", description = "The directory of the backup.")
	private Path backup = Path.of("");

	@Parameters(index = "1", arity = "0..1", paramLabel = "DIRECTORY",
			description = "The data directory (quorate.storage.directory) of a node that does not run. It must be empty, "
					+ "but for backups.")
	private @Nullable Path directory;

	RestoreCommand(Terminal terminal) {
		this.terminal = terminal;
	}

	@Override
	public Integer call() {
		Path target = this.directory;
		if (this.isVerifying && (target != null || this.isWholeCluster || this.isReplacing)) {
			throw new CommandException(ExitCode.MISUSED, "--verify stands with BACKUP alone");
		}
		try (FileSteps steps = new FileSteps(this.terminal)) {
			if (this.isVerifying) {
				Restore.verify(this.backup, steps, this.terminal.out());
			}
			else if (target != null) {
				Restore.install(this.backup, new Restore.Target(target, this.isWholeCluster, this.isReplacing), steps,
						this.terminal.out());
			}
			else {
				throw new CommandException(ExitCode.MISUSED, "DIRECTORY is missing");
			}
			return ExitCode.DONE;
		}
		catch (IOException | StorageException failure) {
			throw new CommandException(ExitCode.FAILED,
					(this.isVerifying ? "not whole: " : "not restored: ") + FileFailure.reason(failure), failure);
		}
	}

}
