package io.quorate.command.directory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

import io.quorate.command.terminal.KeyConverter;
import io.quorate.command.terminal.OutputFormat;
import io.quorate.command.terminal.Terminal;
import io.quorate.entry.Key;
import io.quorate.membership.agreement.RecordedLayout;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.inspect.Inspect;
import io.quorate.storage.inspect.Section;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The subcommand {@code inspect}: reports the contents of a node's directory. Changes no
 * file.
 */
@Command(name = "inspect", header = "Reports the contents of a node's data directory, and changes nothing.",
		exitCodeListHeading = "%nExit codes:%n",
		exitCodeList = { "0:nothing is damaged", "1:something is damaged", "2:the directory cannot be read" },
		footer = { "",
				"While a node uses the directory, its files are of different moments: a file that is missing then need "
						+ "not be damage." })
public final class InspectCommand implements Callable<Integer> {

	private final Terminal terminal;

	@Option(names = "--verify", description = "Compares every page and every large value with its checksum.")
	private boolean isVerifying;

	@Option(names = "--key", paramLabel = "KEY", converter = KeyConverter.class,
			description = "Reports every entry of one key: in the log, in tables, and in files put aside.")
	private @Nullable String key;

	@Option(names = "--json", description = "The same as -o json.")
	private boolean isJson;

	@Option(names = { "-o", "--output" }, paramLabel = "FORMAT", defaultValue = "table",
			description = "json or table. Default: table.")
	private OutputFormat output = OutputFormat.TABLE;

	@Parameters(index = "0", paramLabel = "DIRECTORY",
			description = "The data directory (quorate.storage.directory), or a backup.")
	private Path directory = Path.of("");

	InspectCommand(Terminal terminal) {
		this.terminal = terminal;
	}

	@Override
	public Integer call() {
		Key only = (this.key != null) ? Key.of(this.key) : null;
		Inspect.Options options = new Inspect.Options(this.directory, only, this.isVerifying,
				this.isJson || this.output == OutputFormat.JSON, new LayoutContents());
		try (FileSteps steps = new FileSteps(this.terminal)) {
			return Inspect.run(options, steps, this.terminal.out(), this.terminal.err());
		}
	}

	/** The layouts that a directory or a backup has recorded, in an inspection. */
	private static final class LayoutContents implements Inspect.Addition {

		@Override
		public List<Section> sections(Path directory, Consumer<String> damages) throws IOException {
			Section versions = new Section("layout", "version", "hash", "state", "replicationFactor", "change",
					"floors");
			Section members = new Section("members", "member", "zone", "address", "part", "storageId");
			try {
				RecordedLayout recorded = RecordedLayout.read(directory);
				if (recorded != null) {
					recorded.versions()
						.forEach((its) -> versions.add(its.layout().version(), "%016x".formatted(its.layout().hash()),
								its.state().word(), its.replicationFactor(), its.change(), its.floors()));
					recorded.members()
						.forEach(
								(its) -> members.add(its.id(), its.zone(), its.address(), its.part(), its.storageId()));
				}
			}
			catch (StorageCorruptedException damage) {
				damages.accept(String.valueOf(damage.getMessage()));
			}
			return List.of(versions, members);
		}

	}

}
