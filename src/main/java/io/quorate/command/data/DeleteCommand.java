package io.quorate.command.data;

import java.util.List;
import java.util.concurrent.Callable;

import io.quorate.command.access.Cluster;
import io.quorate.command.access.ConsistencyOptions;
import io.quorate.command.access.NodeOptions;
import io.quorate.command.access.Range;
import io.quorate.command.access.Requests;
import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.KeyConverter;
import io.quorate.command.terminal.OutputFormat;
import io.quorate.command.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** The subcommand {@code del}: deletes keys. Many are deleted in batches, by workers. */
@Command(name = "del", header = "Deletes keys: those that are named, or all with a prefix.", footer = { "",
		"A key that does not exist is deleted, too. With KEY the command ends at the first key that it cannot delete, "
				+ "and names it: with 1 if it has deleted others before and no node could answer for this one.",
		"- reads the keys from standard input: JSON lines with a 'key', as 'quorate ls -o json' prints them, or with "
				+ "--null keys with a zero byte behind each, as 'quorate ls --null' prints them. It ends at a line that is no "
				+ "key; those before are deleted. Do not use xargs on lines: it takes a key with a blank for two keys.",
		"--prefix and - delete by batches, and go on behind a key that is refused. --prefix deletes the keys that it "
				+ "meets: what is written meanwhile may stay." })
public final class DeleteCommand implements Callable<Integer> {

	private static final String STANDARD = "-";

	private final Terminal terminal;

	@Mixin
	private NodeOptions nodes = new NodeOptions();

	@Mixin
	private ConsistencyOptions consistency = new ConsistencyOptions();

	@Option(names = { "-o", "--output" }, paramLabel = "FORMAT", defaultValue = "raw",
			description = OutputFormat.DESCRIPTION)
	private OutputFormat output = OutputFormat.RAW;

	@Option(names = "--prefix", paramLabel = "PREFIX", converter = KeyConverter.class,
			description = "Deletes all keys that begin with it.")
	private @Nullable String prefix;

	@Option(names = "--dry-run", description = "Deletes nothing: prints the keys with PREFIX.")
	private boolean isDry;

	@Option(names = { "-0", "--null" }, description = "The keys of standard input have a zero byte behind each.")
	private boolean endsWithZeros;

	@Parameters(arity = "0..*", paramLabel = "KEY", converter = KeyConverter.class,
			description = "The keys; - for those of standard input.")
	private List<String> keys = List.of();

	DeleteCommand(Terminal terminal) {
		this.terminal = terminal;
	}

	@Override
	public Integer call() {
		boolean isOfInput = this.keys.equals(List.of(STANDARD));
		String all = this.prefix;
		if ((all != null) != this.keys.isEmpty()) {
			throw new CommandException(ExitCode.MISUSED,
					"name the keys to delete: by KEY, by - for standard input, or by --prefix alone");
		}
		require(all != null || !this.isDry, "--dry-run is for --prefix");
		require(isOfInput || !this.endsWithZeros, "--null is for the keys of standard input, which - stands for");
		require((all == null && !isOfInput) || this.isDry || this.output == OutputFormat.RAW,
				"-o is for KEY, and for --dry-run");
		try (Cluster cluster = (all != null || isOfInput) ? this.nodes.patientCluster(this.terminal)
				: this.nodes.cluster(this.terminal)) {
			if (all != null) {
				return deletePrefix(cluster, all);
			}
			return isOfInput ? deleteInput(cluster) : deleteNamed(cluster);
		}
	}

	private static void require(boolean isRight, String message) {
		if (!isRight) {
			throw new CommandException(ExitCode.MISUSED, message);
		}
	}

	private int deleteNamed(Cluster cluster) {
		for (String key : this.keys) {
			try {
				WrittenKeys.write(cluster, this.consistency.on(Requests.delete(key)), key, this.output, this.terminal);
			}
			catch (CommandException failure) {
				boolean isInPart = failure.exitCode() == ExitCode.UNAVAILABLE && !key.equals(this.keys.getFirst());
				throw new CommandException(isInPart ? ExitCode.FAILED : failure.exitCode(),
						key + ": " + failure.getMessage(), failure);
			}
		}
		return ExitCode.DONE;
	}

	private int deletePrefix(Cluster cluster, String all) {
		Range range = new Range(all, new Range.Bounds(null, null), false, true, Long.MAX_VALUE, this.consistency);
		if (this.isDry) {
			long records = RangeOutput.print(cluster, range, this.output, this.terminal);
			this.terminal.out().flush();
			this.terminal.err().printf("%,d keys would be deleted%n", records);
			return ExitCode.DONE;
		}
		Deletion deletion = new Deletion(cluster, this.consistency, this.terminal);
		return deletion.run(() -> cluster.read(range, (read) -> deletion.add(read.key())));
	}

	private int deleteInput(Cluster cluster) {
		ImportLines lines = this.endsWithZeros ? ImportLines.ofZeros(this.terminal.in())
				: new ImportLines(this.terminal.in(), 0, 0);
		Deletion deletion = new Deletion(cluster, this.consistency, this.terminal);
		return deletion.run(() -> {
			boolean goesOn = true;
			for (byte[] line = lines.next(); line != null && goesOn; line = lines.next()) {
				String key = key(line, lines.number());
				goesOn = key == null || deletion.add(key);
			}
		});
	}

	/* Behind a line that is none, others may be none of what the user wants to delete. */
	private @Nullable String key(byte[] line, long number) {
		try {
			String key = this.endsWithZeros ? ImportItem.text(line) : ImportItem.key(line);
			return (key != null) ? new KeyConverter().convert(key) : null;
		}
		catch (IllegalArgumentException | TypeConversionException wrong) {
			throw new CommandException(ExitCode.MISUSED, "%s %,d of standard input is no key: %s; it ends here"
				.formatted(this.endsWithZeros ? "text" : "line", number, wrong.getMessage()), wrong);
		}
	}

}
