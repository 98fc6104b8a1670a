package io.quorate.command;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import io.quorate.clock.TimeSource;
import io.quorate.command.ImportCheckpoint.Place;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The subcommand {@code import}: writes the records of a file of JSON lines. */
@Command(name = "import", header = "Writes the records of a file of JSON lines.", footer = { "",
		"A line is as 'quorate export' writes it, or has 'text' in place of 'value'. Values that have expired are "
				+ "left out. The records go to all nodes of the list. What a node refuses for now is sent again. Records that "
				+ "a node refuses for good, or whose outcome is unknown, are in FILE.failed, which can be imported again.",
		"FILE.importing has the place of an import under way. --resume goes on there, and writes up to some hundred "
				+ "records a second time whose outcome the interrupted import has not seen." })
final class ImportCommand implements Callable<Integer> {

	private static final int MOST_ITEMS = 1_000;

	private static final int MOST_CHARACTERS = 1024 * 1024;

	private final Terminal terminal;

	@Mixin
	private NodeOptions nodes = new NodeOptions();

	@Mixin
	private ConsistencyOptions consistency = new ConsistencyOptions();

	@Parameters(index = "0", arity = "0..1", paramLabel = "FILE", description = "The file. Default: standard input.")
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
		if (source == null) {
			if (this.isResuming) {
				throw new CommandException(ExitCode.MISUSED, "--resume needs FILE");
			}
			return run(this.terminal.in(), new ImportCheckpoint(null, System::nanoTime), 0, Path.of("import.failed"));
		}
		if (!Files.isRegularFile(source)) {
			throw new CommandException(ExitCode.MISUSED, "there is no file " + source);
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

	private int run(InputStream input, ImportCheckpoint checkpoint, long bytes, Path failed) throws IOException {
		if (!this.isResuming && Files.exists(failed)) {
			throw new CommandException(ExitCode.MISUSED,
					failed + " of an earlier import is there: import it, move it, or delete it");
		}
		Place start = checkpoint.read();
		this.read.set(start.offset());
		ImportLines lines = new ImportLines(input, start.offset(), start.lines());
		try (Cluster cluster = this.nodes.patientCluster(this.terminal);
				ImportOutcome outcome = new ImportOutcome(failed)) {
			try (Progress progress = Progress.start(this.terminal, "imported",
					() -> (bytes > 0) ? (double) this.read.get() / bytes : Double.NaN)) {
				readAll(lines, checkpoint,
						new Importer(cluster, this.consistency, this.isRepeating, progress, outcome));
			}
			Throwable reason = this.failure.get();
			if (reason != null) {
				checkpoint.write();
				throw failed(reason, outcome.exitCode(this.terminal));
			}
			checkpoint.delete();
			return outcome.exitCode(this.terminal);
		}
	}

	/*
	 * That nothing was written is true of no import some of whose records may have been.
	 */
	private CommandException failed(Throwable reason, int before) {
		int exitCode = (reason instanceof CommandException known) ? known.exitCode() : ExitCode.FAILED;
		return new CommandException((before == ExitCode.UNKNOWN) ? before : exitCode,
				(this.file != null) ? "%s%nquorate: repeat the command with --resume".formatted(reason.getMessage())
						: "" + reason.getMessage(),
				reason);
	}

	/* Ends when all batches have ended that it has begun. */
	private void readAll(ImportLines lines, ImportCheckpoint checkpoint, Importer importer) throws IOException {
		Semaphore free = new Semaphore(this.workers);
		try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
			List<ImportItem> items = nextBatch(lines);
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
				items = nextBatch(lines);
			}
		}
		catch (CommandException wrong) {
			this.failure.compareAndSet(null, wrong);
		}
	}

	/* Empty at the end. */
	private List<ImportItem> nextBatch(ImportLines lines) throws IOException {
		List<ImportItem> items = new ArrayList<>();
		int characters = 0;
		while (items.size() < this.batch && characters < MOST_CHARACTERS) {
			String line = lines.next();
			if (line == null) {
				break;
			}
			ImportItem item = item(line, lines.number());
			if (item != null) {
				items.add(item);
				characters += item.request().length();
			}
		}
		return items;
	}

	private static @Nullable ImportItem item(String line, long number) {
		try {
			return ImportItem.parse(line, TimeSource.SYSTEM.millis());
		}
		catch (IllegalArgumentException | DateTimeException wrong) {
			throw new CommandException(ExitCode.MISUSED,
					"line %d is no record: %s".formatted(number, wrong.getMessage()), wrong);
		}
	}

}
