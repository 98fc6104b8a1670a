package io.quorate.command.data;

import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;

import io.quorate.client.OperatorClient;
import io.quorate.client.RangeLine;
import io.quorate.command.access.Cluster;
import io.quorate.command.access.ConsistencyOptions;
import io.quorate.command.access.NodeOptions;
import io.quorate.command.access.Range;
import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.FileFailure;
import io.quorate.command.terminal.KeyConverter;
import io.quorate.command.terminal.OutputFormat;
import io.quorate.command.terminal.Progress;
import io.quorate.command.terminal.Terminal;
import io.quorate.command.terminal.Workers;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The subcommand {@code export}: copies a range into a file of JSON lines. Workers read
 * parts of the range.
 */
@Command(name = "export", header = "Copies keys and values into a file of JSON lines.", footer = { "",
		"A line is such as {\"key\":\"a\",\"value\":\"<base64>\",\"etag\":\"...\",\"contentType\":\"text/plain\"}, and the "
				+ "lines are in the order of the keys. Without --file, or with -, they go to standard output, by one worker.",
		"While an export is under way its parts are in FILE.partial; FILE is there only when it is whole. An export "
				+ "that was interrupted goes on with --resume. It is no snapshot: a record is in the state of some moment." })
public final class ExportCommand implements Callable<Integer> {

	private static final int BUFFER = 256 * 1024;

	private final Terminal terminal;

	@Mixin
	private NodeOptions nodes = new NodeOptions();

	@Mixin
	private ConsistencyOptions consistency = new ConsistencyOptions();

	@Parameters(index = "0", arity = "0..1", paramLabel = "PREFIX", converter = KeyConverter.class,
			description = "Only keys that begin with it.")
	private @Nullable String prefix;

	@Option(names = { "-f", "--file" }, paramLabel = "FILE", description = "The file to make. It must not be there.")
	private @Nullable Path file;

	@Option(names = "--parallel", paramLabel = "N", defaultValue = "4",
			description = "The number of workers that read at once. Default: ${DEFAULT-VALUE}.")
	private int workers;

	@Option(names = "--resume", description = "Goes on with an export that was interrupted.")
	private boolean isResuming;

	ExportCommand(Terminal terminal) {
		this.terminal = terminal;
	}

	@Override
	public Integer call() throws IOException {
		if (this.workers < 1 || this.workers > Importer.MOST_WORKERS) {
			throw new CommandException(ExitCode.MISUSED, "--parallel is 1 to " + Importer.MOST_WORKERS);
		}
		boolean isStandard = this.file == null || this.file.equals(Terminal.STANDARD);
		if (isStandard && this.isResuming) {
			throw new CommandException(ExitCode.MISUSED, "--resume needs --file");
		}
		try (Cluster cluster = this.nodes.patientCluster(this.terminal)) {
			if (this.file == null || isStandard) {
				RangeOutput.print(cluster, part(null, null), OutputFormat.JSON, this.terminal);
			}
			else {
				export(cluster, this.file);
			}
		}
		return ExitCode.DONE;
	}

	private void export(Cluster cluster, Path target) throws IOException {
		if (Files.exists(target)) {
			throw new CommandException(ExitCode.MISUSED, target + " is there already");
		}
		ExportFolder folder = new ExportFolder(target);
		if (folder.exists() && !this.isResuming) {
			throw new CommandException(ExitCode.MISUSED,
					"an export to %s was interrupted: --resume goes on with it, or delete %s".formatted(target,
							folder.path()));
		}
		String range = (this.prefix != null) ? "prefix " + this.prefix : "all";
		List<String> borders;
		if (folder.exists()) {
			borders = folder.borders(range);
		}
		else {
			Range whole = part(null, null);
			borders = new ExportParts(cluster, this.consistency, this.workers).borders(whole.bounds().start(),
					whole.bounds().end());
			folder.begin(range, borders);
		}
		AtomicInteger done = new AtomicInteger();
		int parts = borders.size() + 1;
		try (Progress progress = Progress.start(this.terminal, "exported", () -> (double) done.get() / parts)) {
			run(cluster, folder, borders, new Counts(progress, done));
		}
		folder.complete(parts);
	}

	private Range part(@Nullable String start, @Nullable String end) {
		String first = (start != null) ? start : this.prefix;
		String behind = (end != null || this.prefix == null) ? end : OperatorClient.behindAllWith(this.prefix);
		return new Range(null, new Range.Bounds(first, behind), false, false, Long.MAX_VALUE, this.consistency);
	}

	private void run(Cluster cluster, ExportFolder folder, List<String> borders, Counts counts) {
		AtomicInteger next = new AtomicInteger();
		try {
			Workers.run(this.workers, () -> {
				for (int i = next.getAndIncrement(); i <= borders.size(); i = next.getAndIncrement()) {
					Range range = part((i > 0) ? borders.get(i - 1) : null,
							(i < borders.size()) ? borders.get(i) : null);
					exportPart(cluster, folder, i, range, counts);
				}
			});
		}
		catch (CommandException failure) {
			throw new CommandException(failure.exitCode(), "%s%nquorate: what was exported is in %s%s"
				.formatted(failure.getMessage(), folder.path(), ImportCommand.resumed(failure.exitCode())), failure);
		}
	}

	private static void exportPart(Cluster cluster, ExportFolder folder, int number, Range range, Counts counts)
			throws IOException {
		if (!folder.isDone(number)) {
			String last = folder.lastKey(number);
			cluster.preferNext();
			try (FileOutputStream file = new FileOutputStream(folder.part(number).toFile(), true);
					OutputStream lines = new BufferedOutputStream(file, BUFFER)) {
				cluster.read(range, last, (read) -> {
					write(lines, read);
					counts.progress().done(1);
					return !Thread.currentThread().isInterrupted();
				});
				if (Thread.currentThread().isInterrupted()) {
					throw new CommandException(ExitCode.FAILED, "interrupted");
				}
				lines.flush();
				file.getFD().sync();
			}
			folder.finish(number);
		}
		counts.parts().incrementAndGet();
	}

	private static void write(OutputStream lines, RangeLine read) {
		try {
			lines.write(read.json());
			lines.write('\n');
		}
		catch (IOException failure) {
			throw new UncheckedIOException("the file cannot be written: " + FileFailure.reason(failure), failure);
		}
	}

	/**
	 * The counts of what is done.
	 *
	 * @param progress counts records
	 * @param parts counts parts of the range
	 */
	private record Counts(Progress progress, AtomicInteger parts) {
	}

	/**
	 * The division of a range into parts for several workers. It asks for the first keys
	 * of the parts that {@link KeySplit} guesses: a part without keys is none, and if few
	 * are left, each is divided again.
	 */
	private static final class ExportParts {

		/* Of uneven parts the workers take the next one when they are done. */
		private static final int PARTS_A_WORKER = 8;

		private static final int ENOUGH_A_WORKER = 2;

		private static final int MOST_ROUNDS = 3;

		private final Cluster cluster;

		private final ConsistencyOptions consistency;

		private final int workers;

		ExportParts(Cluster cluster, ConsistencyOptions consistency, int workers) {
			this.cluster = cluster;
			this.consistency = consistency;
			this.workers = workers;
		}

		/** The first keys of all parts but the first, in ascending order. */
		List<String> borders(@Nullable String start, @Nullable String end) {
			List<String> firsts = firsts(start, end, MOST_ROUNDS);
			return firsts.isEmpty() ? firsts : firsts.subList(1, firsts.size());
		}

		/* The first keys of all parts that have one. */
		private List<String> firsts(@Nullable String start, @Nullable String end, int rounds) {
			String first = edge(start, end, false);
			String last = edge(start, end, true);
			if (first == null || last == null) {
				return List.of();
			}
			List<String> guessed = KeySplit.borders(first, last, this.workers * PARTS_A_WORKER);
			List<String> firsts = new ArrayList<>(List.of(first));
			for (int i = 0; i < guessed.size(); i++) {
				String found = edge(guessed.get(i), (i + 1 < guessed.size()) ? guessed.get(i + 1) : end, false);
				if (found != null) {
					firsts.add(found);
				}
			}
			if (firsts.size() >= this.workers * ENOUGH_A_WORKER || rounds == 1 || first.equals(last)) {
				return firsts;
			}
			List<String> finer = new ArrayList<>();
			for (int i = 0; i < firsts.size(); i++) {
				finer.addAll(firsts(firsts.get(i), (i + 1 < firsts.size()) ? firsts.get(i + 1) : end, rounds - 1));
			}
			return finer;
		}

		private @Nullable String edge(@Nullable String start, @Nullable String end, boolean isLast) {
			List<String> keys = new ArrayList<>();
			Range range = new Range(null, new Range.Bounds(start, end), isLast, true, 1, this.consistency);
			this.cluster.read(range, (read) -> keys.add(read.key()));
			return keys.isEmpty() ? null : keys.getFirst();
		}

	}

}
