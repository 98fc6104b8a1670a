package io.quorate.command.data;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import io.quorate.clock.TimeSource;
import io.quorate.command.access.Cluster;
import io.quorate.command.access.ConsistencyOptions;
import io.quorate.command.access.NodeOptions;
import io.quorate.command.data.ImportCheckpoint.Place;
import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.FileFailure;
import io.quorate.command.terminal.Progress;
import io.quorate.command.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The subcommand {@code import}: writes the records of a file of JSON lines. Begun again,
 * it goes on behind its checkpoint.
 */
@Command(name = "import", header = "Writes the records of a file of JSON lines.", footer = { "",
		"A line is as 'quorate export' writes it, or has 'text' in place of 'value'. Values that have expired are "
				+ "left out. The records go to all nodes of the list. What a node refuses for now is sent again. Records that "
				+ "a node refuses for good, or whose outcome is unknown, are in FILE.failed, which can be imported again. "
				+ "So are lines that are no record, to be corrected there.",
		"FILE.importing has the place of an import under way. --resume goes on there, and writes up to some hundred "
				+ "records a second time whose outcome the interrupted import has not seen." })
public final class ImportCommand implements Callable<Integer> {

	private static final int MOST_ITEMS = 1_000;

	private static final int MOST_CHARACTERS = 1024 * 1024;

	private final Terminal terminal;

	@Mixin
	private NodeOptions nodes = new NodeOptions();

	@Mixin
	private ConsistencyOptions consistency = new ConsistencyOptions();

	@Parameters(index = "0", arity = "0..1", paramLabel = "FILE",
			description = "The file. Default: standard input, as - is.")
	private @Nullable Path file;

	@Option(names = "--parallel", paramLabel = "N", defaultValue = "4",
			description = "The number of batches under way at once. Default: ${DEFAULT-VALUE}.")
	private int workers;

	@Option(names = "--batch", paramLabel = "N", defaultValue = "100",
			description = "The most records of a batch. Default: ${DEFAULT-VALUE}.")
	private int batch;

	@Option(names = "--resume", description = "Goes on with an import that was interrupted.")
	private boolean isResuming;

	@Option(names = "--repeat-unknown",
			description = "Writes records again whose outcome is unknown. Right only if no other client writes these keys.")
	private boolean isRepeating;

	private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

	private final AtomicLong read = new AtomicLong();

	ImportCommand(Terminal terminal) {
		this.terminal = terminal;
	}

	@Override
	public Integer call() throws IOException {
		if (this.workers < 1 || this.workers > Importer.MOST_WORKERS || this.batch < 1 || this.batch > MOST_ITEMS) {
			throw new CommandException(ExitCode.MISUSED,
					"--parallel is 1 to %d, --batch 1 to %d".formatted(Importer.MOST_WORKERS, MOST_ITEMS));
		}
		Path source = this.file;
		if (source == null || source.equals(Terminal.STANDARD)) {
			return stream(this.terminal.in());
		}
		if (!Files.exists(source) || Files.isDirectory(source)) {
			throw new CommandException(ExitCode.MISUSED,
					Files.exists(source) ? source + " is a directory" : "there is no file " + source);
		}
		if (!Files.isRegularFile(source)) {
			try (InputStream input = Files.newInputStream(source)) {
				return stream(input);
			}
		}
		ImportCheckpoint checkpoint = new ImportCheckpoint(source, System::nanoTime);
		if (checkpoint.exists() && !this.isResuming) {
			throw new CommandException(ExitCode.MISUSED,
					"an import of %s was interrupted: --resume goes on with it, or delete %s.importing"
						.formatted(source, source));
		}
		try (FileChannel channel = FileChannel.open(source)) {
			channel.position(checkpoint.read().offset());
			return run(Channels.newInputStream(channel), checkpoint, channel.size(),
					source.resolveSibling(source.getFileName() + ".failed"));
		}
	}

	/* What has no places to go on from, such as a pipe. */
	private int stream(InputStream input) throws IOException {
		if (this.isResuming) {
			throw new CommandException(ExitCode.MISUSED, "--resume needs FILE, and that to be no pipe");
		}
		return run(input, new ImportCheckpoint(null, System::nanoTime), 0, Path.of("import.failed"));
	}

	private int run(InputStream input, ImportCheckpoint checkpoint, long bytes, Path failed) throws IOException {
		if (!this.isResuming && Files.exists(failed)) {
			throw new CommandException(ExitCode.MISUSED,
					failed + " of an earlier import is there: import it, move it, or delete it");
		}
		Place start = checkpoint.read();
		this.read.set(start.offset());
		ImportLines lines = new ImportLines(input, start.offset(), start.lines());
		lines.requireLines();
		try (Cluster cluster = this.nodes.patientCluster(this.terminal);
				ImportOutcome outcome = new ImportOutcome(failed)) {
			try (Progress progress = Progress.start(this.terminal, "imported",
					() -> (bytes > 0) ? (double) this.read.get() / bytes : Double.NaN)) {
				readAll(new Records(lines, progress, outcome), checkpoint,
						new Importer(cluster, this.consistency, this.isRepeating, progress, outcome));
			}
			Throwable reason = this.failure.get();
			if (reason != null) {
				boolean hasBegun = checkpoint.exists();
				if (hasBegun) {
					checkpoint.write();
				}
				throw failed(reason, outcome.exitCode(this.terminal), hasBegun);
			}
			checkpoint.delete();
			return outcome.exitCode(this.terminal);
		}
	}

	/*
	 * That nothing was written is true of no import some of whose records may have been.
	 */
	private CommandException failed(Throwable reason, int before, boolean canResume) {
		int exitCode = (reason instanceof CommandException known) ? known.exitCode() : ExitCode.FAILED;
		return new CommandException((before == ExitCode.UNKNOWN) ? before : exitCode,
				FileFailure.reason(reason) + (canResume ? resumed(exitCode) : ""), reason);
	}

	/**
	 * The advice for a command that can go on later: what lasts has to be mended before.
	 */
	static String resumed(int exitCode) {
		return "%nquorate: %s the command with --resume"
			.formatted((exitCode == ExitCode.UNAVAILABLE || exitCode == ExitCode.UNKNOWN) ? "repeat"
					: "when that is mended, repeat");
	}

	/* Ends when all batches have ended that it has begun. */
	private void readAll(Records records, ImportCheckpoint checkpoint, Importer importer) throws IOException {
		Semaphore free = new Semaphore(this.workers);
		ImportLines lines = records.lines();
		try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
			List<ImportItem> items = records.next(this.batch);
			while (!items.isEmpty() && this.failure.get() == null) {
				List<ImportItem> taken = items;
				free.acquireUninterruptibly();
				Place start = checkpoint.begin(new Place(lines.offset(), lines.number()));
				executor.execute(() -> {
					try {
						importer.write(taken);
						checkpoint.done(start);
					}
					catch (IOException | RuntimeException | Error reason) {
						this.failure.compareAndSet(null, reason);
					}
					finally {
						free.release();
					}
				});
				this.read.set(lines.offset());
				items = records.next(this.batch);
			}
		}
		catch (CommandException wrong) {
			this.failure.compareAndSet(null, wrong);
		}
	}

	/**
	 * The records of a file. Lines that are none are noted as failures.
	 *
	 * @param lines the lines, from the place on at which the import begins
	 * @param progress counts those that are none
	 * @param outcome keeps them
	 */
	private record Records(ImportLines lines, Progress progress, ImportOutcome outcome) {

		/* Empty at the end. */
		private List<ImportItem> next(int most) throws IOException {
			List<ImportItem> items = new ArrayList<>();
			int characters = 0;
			while (items.size() < most && characters < MOST_CHARACTERS) {
				byte[] line = this.lines.next();
				if (line == null) {
					break;
				}
				ImportItem item = item(line);
				if (item != null) {
					items.add(item);
					characters += item.request().length();
				}
			}
			return items;
		}

		private @Nullable ImportItem item(byte[] line) throws IOException {
			try {
				return ImportItem.parse(line, TimeSource.SYSTEM.millis());
			}
			catch (IllegalArgumentException wrong) {
				this.progress.failed(1);
				this.outcome.noRecord(line, this.lines.number(), String.valueOf(wrong.getMessage()));
				return null;
			}
		}

	}

	/**
	 * The records that an import could not write, and the lines that are none, in a file
	 * of their own. Safe for threads.
	 */
	static final class ImportOutcome implements Unwritten, AutoCloseable {

		/* Of the lines that are no record, so many are named. */
		private static final int SHOWN = 10;

		private final Path path;

		private final List<String> reasons = new ArrayList<>();

		private long lines;

		private @Nullable OutputStream stream;

		private long refused;

		private long unknown;

		ImportOutcome(Path path) {
			this.path = path;
		}

		@Override
		public synchronized void refused(ImportItem item, String reason) throws IOException {
			this.refused++;
			write(item, reason);
		}

		@Override
		public synchronized void unknown(ImportItem item, String reason) throws IOException {
			this.unknown++;
			write(item, reason);
		}

		/** Notes a line that is no record. It is kept as it is, to be corrected. */
		synchronized void noRecord(byte[] line, long number, String reason) throws IOException {
			this.refused++;
			this.lines++;
			if (this.lines <= SHOWN) {
				this.reasons.add("line %,d is no record: %s".formatted(number, reason));
			}
			write(line);
		}

		private void write(ImportItem item, String reason) throws IOException {
			write(item.failed(reason).getBytes(StandardCharsets.UTF_8));
		}

		private void write(byte[] line) throws IOException {
			OutputStream open = this.stream;
			if (open == null) {
				open = new BufferedOutputStream(
						Files.newOutputStream(this.path, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
				this.stream = open;
			}
			open.write(line);
			open.write('\n');
			open.flush();
		}

		/** The exit code, after a message if there is something to say. */
		synchronized int exitCode(Terminal terminal) {
			if (this.refused + this.unknown == 0) {
				return ExitCode.DONE;
			}
			this.reasons.forEach((reason) -> terminal.err().println("quorate: " + reason));
			if (this.lines > SHOWN) {
				terminal.err().printf("quorate: %,d more lines are no records%n", this.lines - SHOWN);
			}
			terminal.err()
				.printf("quorate: %,d records were refused, and %,d may have been written or not: they are in %s%n",
						this.refused, this.unknown, this.path);
			return (this.unknown > 0) ? ExitCode.UNKNOWN : ExitCode.FAILED;
		}

		@Override
		public synchronized void close() throws IOException {
			if (this.stream != null) {
				this.stream.close();
			}
		}

	}

}
