package io.quorate.command.bench;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.quorate.client.QuorateException;
import io.quorate.command.access.Answers;
import io.quorate.command.access.Cluster;
import io.quorate.command.access.ConsistencyOptions;
import io.quorate.command.access.NodeOptions;
import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.DurationConverter;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.KeyConverter;
import io.quorate.command.terminal.OutputFormat;
import io.quorate.command.terminal.Progress;
import io.quorate.command.terminal.ProgressUnit;
import io.quorate.command.terminal.Terminal;
import io.quorate.command.terminal.Workers;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The subcommand {@code bench}: measures the latency of a cluster at a constant rate. It
 * counts from the instant at which a request was due.
 */
@Command(name = "bench", header = "Measures the latency of the nodes of the list at a constant rate.",
		exitCodeListHeading = "%nExit codes:%n",
		exitCodeList = { "0:every request was sent and answered", "1:some were not",
				"2:the arguments cannot be used, or the keys are there", "5:no node could answer" },
		footer = { "",
				"The command writes keys of its own, reads and writes them at random, by all nodes in turn, and deletes "
						+ "them. Latency counts from the instant at which a request was due: a cluster that stands still for a "
						+ "second makes all requests late that were due in it. The keys expire ten minutes later, too." })
public final class BenchCommand implements Callable<Integer> {

	private static final int MOST_RATE = 100_000;

	private static final int MOST_KEYS = 1_000_000;

	private static final int MOST_VALUE_BYTES = 1024 * 1024;

	private static final int MOST_WORKERS = 1024;

	private final Terminal terminal;

	@Mixin
	private NodeOptions nodes = new NodeOptions();

	@Mixin
	private ConsistencyOptions consistency = new ConsistencyOptions();

	@Option(names = "--rate", paramLabel = "N", defaultValue = "500",
			description = "Requests a second, of all nodes together. Default: ${DEFAULT-VALUE}.")
	private int rate;

	@Option(names = "--duration", paramLabel = "DURATION", defaultValue = "30s", converter = DurationConverter.class,
			description = "The time that is measured. Default: ${DEFAULT-VALUE}.")
	private Duration duration = Duration.ZERO;

	@Option(names = "--warmup", paramLabel = "DURATION", defaultValue = "5s", converter = DurationConverter.class,
			description = "The time before, at the same rate. Default: ${DEFAULT-VALUE}.")
	private Duration warmup = Duration.ZERO;

	@Option(names = "--reads", paramLabel = "SHARE", defaultValue = "0.5",
			description = "The share of reads, 0 to 1. Default: ${DEFAULT-VALUE}.")
	private double reads;

	@Option(names = "--keys", paramLabel = "N", defaultValue = "1000",
			description = "The number of keys. Default: ${DEFAULT-VALUE}.")
	private int keys;

	@Option(names = "--value-bytes", paramLabel = "N", defaultValue = "100",
			description = "The size of each value. Default: ${DEFAULT-VALUE}.")
	private int valueBytes;

	@Option(names = "--prefix", paramLabel = "PREFIX", defaultValue = "quorate-bench:", converter = KeyConverter.class,
			description = "The beginning of all keys. Default: ${DEFAULT-VALUE}.")
	private String prefix = "";

	@Option(names = "--parallel", paramLabel = "N", defaultValue = "64",
			description = "The most requests that are under way at once. Default: ${DEFAULT-VALUE}.")
	private int workers;

	@Option(names = { "-o", "--output" }, paramLabel = "FORMAT", defaultValue = "table",
			description = "json, table or raw (as the table, with tabs). Default: ${DEFAULT-VALUE}.")
	private OutputFormat output = OutputFormat.TABLE;

	BenchCommand(Terminal terminal) {
		this.terminal = terminal;
	}

	@Override
	public Integer call() {
		require(1, this.rate, MOST_RATE, "--rate");
		require(1, this.keys, MOST_KEYS, "--keys");
		require(0, this.valueBytes, MOST_VALUE_BYTES, "--value-bytes");
		require(1, this.workers, MOST_WORKERS, "--parallel");
		if (!(this.reads >= 0 && this.reads <= 1)) {
			throw new CommandException(ExitCode.MISUSED, "--reads is 0 to 1");
		}
		try (Cluster cluster = this.nodes.cluster(this.terminal)) {
			BenchKeys ours = new BenchKeys(cluster, this.consistency, this.terminal, new BenchKeys.Shape(this.prefix,
					this.keys, this.valueBytes, this.workers, this.warmup.plus(this.duration)));
			ours.requireNone();
			try {
				ours.write();
				BenchSchedule schedule = new BenchSchedule(this.rate, this.reads, this.warmup, this.duration);
				BenchResult result = new BenchLoad(cluster, ours, schedule, this.workers).run(this.terminal);
				result.print(this.output, this.terminal);
				return result.isWhole() ? ExitCode.DONE : ExitCode.FAILED;
			}
			finally {
				ours.delete();
			}
		}
	}

	private static void require(int least, int given, int most, String option) {
		if (given < least || given > most) {
			throw new CommandException(ExitCode.MISUSED,
					String.format(Locale.ROOT, "%s is %d to %,d", option, least, most));
		}
	}

	/**
	 * A load on the nodes of a cluster. Its requests are due at constant intervals,
	 * whatever the nodes answer; they go to all nodes in turn, and to no other one when
	 * they fail. A request that finds all workers busy is sent later, and its latency
	 * counts from the instant at which it was due.
	 */
	private static final class BenchLoad {

		private final Cluster cluster;

		private final BenchKeys keys;

		private final BenchSchedule schedule;

		private final int workers;

		private final AtomicLong next = new AtomicLong();

		BenchLoad(Cluster cluster, BenchKeys keys, BenchSchedule schedule, int workers) {
			this.cluster = cluster;
			this.keys = keys;
			this.schedule = schedule;
			this.workers = workers;
		}

		/** Sends all requests, and waits for their answers. */
		BenchResult run(Terminal terminal) {
			BenchResult result = new BenchResult(this.schedule);
			long start = System.nanoTime();
			try (Progress progress = Progress.start(terminal, "sent", ProgressUnit.of("requests"),
					() -> Math.clamp((double) (System.nanoTime() - start) / this.schedule.endNanos(), 0, 1))) {
				Workers.run(this.workers, () -> {
					boolean isMore = true;
					while (isMore) {
						isMore = sendNext(start, result, progress);
					}
				});
			}
			return result;
		}

		private boolean sendNext(long start, BenchResult result, Progress progress) {
			long request = this.next.getAndIncrement();
			if (request >= this.schedule.requests() || Thread.currentThread().isInterrupted()) {
				return false;
			}
			long due = start + this.schedule.dueNanos(request);
			awaitInstant(due);
			if (this.schedule.isOver(System.nanoTime() - start)) {
				result.notSent(request);
				return true;
			}
			boolean isRead = this.schedule.isRead(request);
			String failure = send(request, isRead);
			result.answered(request, System.nanoTime() - due, failure);
			progress.done(1);
			progress.failed((failure != null) ? 1 : 0);
			return true;
		}

		/* Ends early only for an interrupt. */
		private static void awaitInstant(long due) {
			for (long left = due - System.nanoTime(); left > 0
					&& !Thread.currentThread().isInterrupted(); left = due - System.nanoTime()) {
				LockSupport.parkNanos(left);
			}
		}

		/* The reason for which the request has failed, or null. */
		private @Nullable String send(long request, boolean isRead) {
			List<URI> nodes = this.cluster.nodes();
			URI node = nodes.get(Math.floorMod(request, nodes.size()));
			try {
				this.cluster.ask(node, this.keys.request(isRead, BenchSchedule.key(request, this.keys.count())),
						isRead ? Answers::isValue : Answers::isWritten);
				return null;
			}
			catch (QuorateException failure) {
				return node + ": " + this.cluster.reason(failure);
			}
		}

	}

}
