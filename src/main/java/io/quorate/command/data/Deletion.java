package io.quorate.command.data;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;

import io.quorate.command.access.Cluster;
import io.quorate.command.access.ConsistencyOptions;
import io.quorate.command.access.RangeRecord;
import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.FileFailure;
import io.quorate.command.terminal.Progress;
import io.quorate.command.terminal.ProgressUnit;
import io.quorate.command.terminal.Terminal;
import io.quorate.command.terminal.Workers;
import org.jspecify.annotations.Nullable;

/**
 * The deletion of many keys, by batches, some of which are under way at once. Keys are
 * given by one thread.
 */
final class Deletion {

	private static final int WORKERS = 4;

	private static final int MOST_KEYS = 100;

	private final Terminal terminal;

	private final Progress progress;

	private final Importer importer;

	private final Undeleted undeleted = new Undeleted();

	private final Semaphore free = new Semaphore(WORKERS);

	private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();

	private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

	private List<ImportItem> batch = new ArrayList<>();

	Deletion(Cluster cluster, ConsistencyOptions consistency, Terminal terminal) {
		this.terminal = terminal;
		this.progress = Progress.start(terminal, "deleted", ProgressUnit.of("keys"), () -> Double.NaN);
		this.importer = new Importer(cluster, consistency, false, this.progress, this.undeleted);
	}

	/**
	 * Deletes a key, in its time.
	 * @return whether there is a point in more keys
	 */
	boolean add(String key) {
		this.batch.add(ImportItem.deletion(key));
		if (this.batch.size() == MOST_KEYS) {
			send();
		}
		return this.failure.get() == null;
	}

	private void send() {
		List<ImportItem> taken = this.batch;
		this.batch = new ArrayList<>();
		this.free.acquireUninterruptibly();
		this.executor.execute(() -> {
			try {
				this.importer.write(taken);
			}
			catch (IOException | RuntimeException | Error reason) {
				this.failure.compareAndSet(null, reason);
			}
			finally {
				this.free.release();
			}
		});
	}

	/**
	 * Deletes all keys of a source, and waits for the end.
	 * @param source adds the keys
	 * @return the exit code
	 * @throws CommandException if the source fails, or no node could answer
	 */
	int run(Workers.Work source) {
		try (this.executor) {
			source.run();
			if (!this.batch.isEmpty() && this.failure.get() == null) {
				send();
			}
		}
		catch (IOException | CommandException fault) {
			this.failure.compareAndSet(null, fault);
		}
		finally {
			this.progress.close();
		}
		int before = this.undeleted.exitCode(this.terminal);
		Throwable reason = this.failure.get();
		if (reason == null) {
			return before;
		}
		int exitCode = (reason instanceof CommandException known) ? known.exitCode() : ExitCode.FAILED;
		boolean isInPart = exitCode == ExitCode.UNAVAILABLE && this.progress.records() > 0;
		throw new CommandException((before != ExitCode.DONE) ? before : isInPart ? ExitCode.FAILED : exitCode,
				FileFailure.reason(reason), reason);
	}

	/** The keys that could not be deleted, or whose deletion is not certain. */
	private static final class Undeleted implements Unwritten {

		/* So many are named, each with its reason. */
		private static final int SHOWN = 10;

		private final List<String> reasons = new ArrayList<>();

		private long refused;

		private long unknown;

		@Override
		public synchronized void refused(ImportItem item, String reason) {
			this.refused++;
			note(item, reason);
		}

		@Override
		public synchronized void unknown(ImportItem item, String reason) {
			this.unknown++;
			note(item, reason);
		}

		private void note(ImportItem item, String reason) {
			if (this.reasons.size() < SHOWN) {
				this.reasons.add(RangeRecord.printable(new RangeRecord(item.line()).key()) + ": " + reason);
			}
		}

		private synchronized int exitCode(Terminal terminal) {
			if (this.refused + this.unknown == 0) {
				return ExitCode.DONE;
			}
			this.reasons.forEach((reason) -> terminal.err().println("quorate: " + reason));
			terminal.err()
				.printf("quorate: %,d deletions were refused, and %,d may have happened or not%n", this.refused,
						this.unknown);
			return (this.unknown > 0) ? ExitCode.UNKNOWN : ExitCode.FAILED;
		}

	}

}
