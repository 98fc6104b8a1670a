package io.quorate.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.util.Collection;
import java.util.Locale;
import java.util.stream.Collectors;

import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormat;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs the measurements of the parts, and prints one table in Markdown: the time of one
 * operation, and the heap that it allocates. Takes the patterns and options of JMH; those
 * that are not given are short ones. What is none of them is told, with exit code 2.
 */
final class MicroReport {

	private static final String ALLOCATED = "gc.alloc.rate.norm";

	private MicroReport() {
	}

	static void main(String[] args) throws IOException, RunnerException {
		try {
			run(new CommandLineOptions(args));
		}
		catch (CommandLineOptionException unknown) {
			System.err.println(unknown.getMessage() + "; tools/bench-micro -h says which options there are");
			System.exit(2);
		}
	}

	@SuppressWarnings("SystemOut") // the report is the output
	private static void run(CommandLineOptions asked) throws IOException, RunnerException {
		boolean isMeasuring = !(asked.shouldHelp() || asked.shouldList() || asked.shouldListWithParams());
		Runner runner = new Runner(options(asked), output(asked, isMeasuring ? System.err : System.out));
		if (asked.shouldHelp()) {
			asked.showHelp();
		}
		else if (asked.shouldList()) {
			runner.list();
		}
		else if (asked.shouldListWithParams()) {
			runner.listWithParams(asked);
		}
		else {
			System.out.println(System.getProperty("bench.machine", ""));
			print(runner.run());
		}
	}

	private static OutputFormat output(CommandLineOptions asked, PrintStream to) {
		return OutputFormatFactory.createFormatInstance(to, asked.verbosity().orElse(VerboseMode.NORMAL));
	}

	/* What is measured beside RocksDB has a report of its own. */
	private static Options options(CommandLineOptions asked) {
		return new OptionsBuilder().parent(asked)
			.exclude("^io\\.quorate\\.bench\\.")
			.forks(asked.getForkCount().orElse(1))
			.warmupIterations(asked.getWarmupIterations().orElse(3))
			.warmupTime(asked.getWarmupTime().orElse(TimeValue.seconds(1)))
			.measurementIterations(asked.getMeasurementIterations().orElse(5))
			.measurementTime(asked.getMeasurementTime().orElse(TimeValue.milliseconds(500)))
			.shouldFailOnError(true)
			.addProfiler(GCProfiler.class)
			.jvmArgsAppend(System.getProperty("bench.jvm", "").trim().split("\\s+"))
			.build();
	}

	@SuppressWarnings("SystemOut") // the table is the output
	private static void print(Collection<RunResult> results) {
		System.out.println();
		System.out.println("| what | | ns/op | ± | bytes/op |");
		System.out.println("|---|---|---:|---:|---:|");
		results.forEach((result) -> System.out.println(row(result)));
	}

	private static String row(RunResult run) {
		Result<?> time = run.getPrimaryResult();
		Result<?> allocated = run.getSecondaryResults().get(ALLOCATED);
		return String.format(Locale.ROOT, "| %s | %s | %s | %s | %s |", name(run.getParams()),
				parameters(run.getParams()), figure(time.getScore()), figure(time.getScoreError()),
				(allocated != null) ? String.format(Locale.ROOT, "%,.0f", allocated.getScore()) : "");
	}

	private static String figure(double nanos) {
		return String.format(Locale.ROOT, (nanos < 100) ? "%.1f" : "%,.0f", nanos);
	}

	private static String name(BenchmarkParams parameters) {
		String[] parts = parameters.getBenchmark().split("\\.", -1);
		return parts[parts.length - 2].replace("Benchmark", "") + "." + parts[parts.length - 1];
	}

	private static String parameters(BenchmarkParams parameters) {
		return parameters.getParamsKeys()
			.stream()
			.map((key) -> key + "=" + parameters.getParam(key))
			.collect(Collectors.joining(", "));
	}

}
