package io.quorate.command.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Callable;

import io.quorate.backup.Recovery;
import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.Terminal;
import io.quorate.membership.layout.LayoutException;
import io.quorate.storage.StorageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The subcommand {@code cluster recover}: has the members that are left go on when a
 * majority is lost for good.
 */
@Command(name = "recover", header = "Has the members that are left go on without a majority that is lost for good.",
		customSynopsis = "quorate cluster recover DIRECTORY --members MEMBER[,MEMBER...] [--with DIRECTORY]... (--dry-run | --yes)",
		footer = { "",
				"It is run once on each member that is left, while all of them are stopped. What only lost members had is "
						+ "lost, also of writes that were acknowledged. A lost member must never be started again: it "
						+ "would be a cluster of its own. Once the members left serve, others are added (quorate cluster add)." })
final class ClusterRecoverCommand implements Callable<Integer> {

	private final Terminal terminal;

	@Option(names = "--members", paramLabel = "MEMBER", split = ",", required = true,
			converter = NodeConverter.Id.class,
			description = "The ids of all members that are left. All others are given up.")
	private List<String> members = new ArrayList<>();

	@Option(names = "--with", paramLabel = "DIRECTORY",
			description = "The data directory of another member that is left, or a directory with copies of its files NODE "
					+ "and LAYOUT. Once for each: the layout is the same on all of them then.")
	private List<Path> others = new ArrayList<>();

	@Option(names = "--dry-run", description = "Changes nothing: prints the layout, and what may be lost.")
	private boolean isDryRun;

	@Option(names = "--yes", description = "Does it. Without this option nothing is changed.")
	private boolean isConfirmed;

	@Parameters(index = "0", paramLabel = "DIRECTORY",
			description = "The data directory (quorate.storage.directory) of a member that is left, and does not run.")
	private Path directory = Path.of("");

	ClusterRecoverCommand(Terminal terminal) {
		this.terminal = terminal;
	}

	@Override
	public Integer call() {
		if (this.isDryRun && this.isConfirmed) {
			throw new CommandException(ExitCode.MISUSED, "--dry-run and --yes exclude each other");
		}
		try (Recovery recovery = Recovery.of(this.directory, this.others, new TreeSet<>(this.members))) {
			recovery.explain(this.terminal.out());
			if (this.isDryRun || recovery.isDone()) {
				return ExitCode.DONE;
			}
			if (!this.isConfirmed) {
				throw new CommandException(ExitCode.MISUSED,
						"nothing was changed: if the others are lost for good, repeat it with --yes");
			}
			recovery.run(this.terminal.out());
			return ExitCode.DONE;
		}
		catch (IOException | StorageException | LayoutException failure) {
			throw new CommandException(ExitCode.FAILED, "not recovered: " + failure.getMessage(), failure);
		}
	}

}
