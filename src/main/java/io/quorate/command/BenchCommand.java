package io.quorate.command;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The subcommand {@code bench}: measures the latency of a cluster at a constant rate. */
@Command(name = "bench", header = "Measures the latency of the nodes of the list at a constant rate.",
		exitCodeListHeading = "%nExit codes:%n",
		exitCodeList = { "0:every request was sent and answered", "1:some were not",
				"2:the arguments cannot be used, or the keys are there", "5:no node could answer" },
		footer = { "",
				"The command writes keys of its own, reads and writes them at random, by all nodes in turn, and deletes "
						+ "them. Latency counts from the instant at which a request was due: a cluster that stands still for a "
						+ "second makes all requests late that were due in it. The keys expire ten minutes later, too." })
final class BenchCommand implements Callable<Integer> {

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

}
