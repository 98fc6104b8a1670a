package io.quorate.command.bench;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.quorate.client.Answer;
import io.quorate.client.QuorateException;
import io.quorate.client.Request;
import io.quorate.command.access.Answers;
import io.quorate.command.access.Cluster;
import io.quorate.command.access.ConsistencyOptions;
import io.quorate.command.access.NodeAccess;
import io.quorate.command.access.NodeOptions;
import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.DurationConverter;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.FileFailure;
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
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

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
						+ "second makes all requests late that were due in it. The keys expire ten minutes later, too.",
				"", "Of nodes that do not keep up, DONE/S is what they can." })
public final class BenchCommand implements Callable<Integer> {

	private static final int MOST_RATE = 100_000;

	private static final int MOST_KEYS = 1_000_000;

	private static final int MOST_VALUE_BYTES = 1024 * 1024;

	private static final int MOST_BATCH = 1000;

	private static final int MOST_WORKERS = 1024;

	/* Each has latencies of its own in memory. */
	private static final int MOST_INTERVALS = 200;

	/* With the repair of a node whose log is long. */
	private static final Duration START = Duration.ofMinutes(10);

	private static final Duration PAUSE = Duration.ofMillis(50);

	private static final int STATUS_CLASS = 100;

	private static final int CLIENT_ERROR = 4;

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

	@Option(names = "--interval", paramLabel = "DURATION", converter = DurationConverter.class,
			description = "Prints what was due in each interval of this length, too: what a change does while it happens.")
	private @Nullable Duration interval;

	@Option(names = "--cold",
			description = "Waits until all nodes are ready, and begins at once. What is before, the warm-up, the command does "
					+ "by itself. Takes '--reads 0'.")
	private boolean isCold;

	@Option(names = "--reads", paramLabel = "SHARE", defaultValue = "0.5",
			description = "The share of reads, 0 to 1. Default: ${DEFAULT-VALUE}.")
	private double reads;

	@Option(names = "--keys", paramLabel = "N", defaultValue = "1000",
			description = "The number of keys. Default: ${DEFAULT-VALUE}.")
	private int keys;

	@Option(names = "--value-bytes", paramLabel = "N", defaultValue = "100",
			description = "The size of each value. Default: ${DEFAULT-VALUE}.")
	private int valueBytes;

	@Option(names = "--batch", paramLabel = "N", defaultValue = "1",
			description = "The number of keys of a request; more than 1 are a batch. Default: ${DEFAULT-VALUE}.")
	private int batch;

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
		require(1, this.batch, MOST_BATCH, "--batch");
		require(this.batch <= this.keys, "--batch is at most --keys");
		require(1, this.workers, MOST_WORKERS, "--parallel");
		require(this.reads >= 0 && this.reads <= 1, "--reads is 0 to 1");
		require(!this.isCold || this.reads == 0, "--cold takes '--reads 0': nothing is there to read");
		Duration each = (this.interval != null) ? this.interval : this.duration;
		require(this.duration.dividedBy(each) <= MOST_INTERVALS,
				"--duration has at most %d intervals".formatted(MOST_INTERVALS));
		try (Cluster cluster = this.nodes.cluster(this.terminal)) {
			BenchKeys ours = new BenchKeys(cluster, this.consistency, this.terminal, new BenchKeys.Shape(this.prefix,
					this.keys, this.valueBytes, this.batch, this.workers, this.warmup.plus(this.duration)));
			if (this.isCold) {
				warmUp(ours);
				awaitReady(cluster);
			}
			ours.requireNone();
			try {
				if (!this.isCold) {
					ours.write();
				}
				BenchResult result = new BenchResult(schedule(this.isCold ? Duration.ZERO : this.warmup, this.duration),
						each);
				new BenchLoad(cluster, ours, result, this.workers).run("sent", this.terminal);
				result.print(this.output, this.terminal);
				return result.isWhole() ? ExitCode.DONE : ExitCode.FAILED;
			}
			finally {
				ours.delete();
			}
		}
	}

	private BenchSchedule schedule(Duration before, Duration measured) {
		return new BenchSchedule(this.rate, this.reads, before, measured);
	}

	/* Else the nodes would be measured with a command that is cold itself. */
	private void warmUp(BenchKeys ours) {
		BenchResult unused = new BenchResult(schedule(Duration.ZERO, this.warmup), this.warmup);
		try (BenchStandIn standIn = new BenchStandIn(this.batch);
				Cluster cluster = new Cluster(List.of(standIn.uri()), NodeAccess.of(null, null), null)) {
			new BenchLoad(cluster, ours, unused, this.workers).run("warmed up by", this.terminal);
		}
		catch (IOException failure) {
			throw new CommandException(ExitCode.FAILED, FileFailure.reason(failure), failure);
		}
	}

	private static void awaitReady(Cluster cluster) {
		long end = System.nanoTime() + START.toNanos();
		for (URI node : cluster.nodes()) {
			for (String reason = notReady(cluster, node); reason != null; reason = notReady(cluster, node)) {
				if (System.nanoTime() > end || Thread.currentThread().isInterrupted()) {
					throw new CommandException(ExitCode.UNAVAILABLE, node + ": " + reason);
				}
				LockSupport.parkNanos(PAUSE.toNanos());
			}
		}
	}

	/* The reason for which a node that starts does not serve yet, or null. */
	private static @Nullable String notReady(Cluster cluster, URI node) {
		try {
			Answer status = cluster.ask(node, Request.read("/v0/status"), Answers::isOk);
			String state = JsonMapper.shared().readTree(status.body()).path("state").asString("");
			return "ready".equals(state) ? null : "it is not ready";
		}
		catch (JacksonException noJson) {
			return "the answer is no JSON";
		}
		catch (QuorateException failure) {
			String reason = cluster.reason(failure);
			if (failure.failures().stream().anyMatch((each) -> each.status() / STATUS_CLASS == CLIENT_ERROR)) {
				throw new CommandException(ExitCode.FAILED, node + ": " + reason, failure);
			}
			return reason;
		}
	}

	private static void require(boolean holds, String rule) {
		if (!holds) {
			throw new CommandException(ExitCode.MISUSED, rule);
		}
	}

	private static void require(int least, int given, int most, String option) {
		require(given >= least && given <= most, String.format(Locale.ROOT, "%s is %d to %,d", option, least, most));
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

		private final BenchResult result;

		private final BenchSchedule schedule;

		private final int workers;

		private final AtomicLong next = new AtomicLong();

		BenchLoad(Cluster cluster, BenchKeys keys, BenchResult result, int workers) {
			this.cluster = cluster;
			this.keys = keys;
			this.result = result;
			this.schedule = result.schedule();
			this.workers = workers;
		}

		/** Sends all requests, and waits for their answers. */
		void run(String verb, Terminal terminal) {
			long start = System.nanoTime();
			try (Progress progress = Progress.start(terminal, verb, ProgressUnit.of("requests"),
					() -> Math.clamp((double) (System.nanoTime() - start) / this.schedule.endNanos(), 0, 1))) {
				Workers.run(this.workers, () -> {
					boolean isMore = true;
					while (isMore) {
						isMore = sendNext(start, progress);
					}
				});
			}
		}

		private boolean sendNext(long start, Progress progress) {
			long request = this.next.getAndIncrement();
			if (request >= this.schedule.requests() || Thread.currentThread().isInterrupted()) {
				return false;
			}
			long due = start + this.schedule.dueNanos(request);
			awaitInstant(due);
			if (this.schedule.isTooLate(request, System.nanoTime() - start)) {
				this.result.notSent(request);
				return true;
			}
			boolean isRead = this.schedule.isRead(request);
			URI node = node(request);
			String failure;
			long end;
			try {
				Answer answer = ask(node, request, isRead);
				// A batch is looked at later: that is no time of the node.
				end = System.nanoTime();
				failure = this.keys.failure(isRead, answer);
			}
			catch (QuorateException failed) {
				end = System.nanoTime();
				failure = this.cluster.reason(failed);
			}
			this.result.answered(request, end - due, (failure != null) ? node + ": " + failure : null);
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

		private URI node(long request) {
			List<URI> nodes = this.cluster.nodes();
			return nodes.get(Math.floorMod(request, nodes.size()));
		}

		private Answer ask(URI node, long request, boolean isRead) {
			return this.cluster.ask(node, this.keys.request(isRead, BenchSchedule.key(request, this.keys.count())),
					(each) -> this.keys.isAnswer(isRead, each));
		}

	}

}
