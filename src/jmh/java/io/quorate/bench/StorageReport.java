package io.quorate.bench;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

import io.quorate.storage.StorageProperties.Sync;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.openjdk.jmh.util.Statistics;

/**
 * Runs the measurements of the store, each engine after the other for every line, and
 * prints one table in Markdown.
 */
final class StorageReport {

	private static final List<String> ENGINES = List.of("quorate", "rocksdb");

	private final Effort effort;

	private final List<String> wanted;

	private StorageReport(Effort effort, List<String> wanted) {
		this.effort = effort;
		this.wanted = wanted;
	}

	static void main(String[] args) throws RunnerException {
		List<String> wanted = new ArrayList<>(List.of(args));
		boolean onlyAsked = wanted.remove("--asked");
		Effort effort = wanted.remove("--full") ? Effort.FULL : Effort.QUICK;
		StorageReport report = new StorageReport(effort, wanted);
		List<Line> lines = report.lines().stream().filter(report::isWanted).toList();
		if (lines.isEmpty()) {
			System.err.println("There is no line with '%s' in its name; there are:".formatted(String.join("' or '", wanted)));
			report.lines().forEach((line) -> System.err.println("  " + line.label()));
			System.exit(2);
		}
		if (!onlyAsked) {
			report.run(lines);
		}
	}

	private void run(List<Line> lines) throws RunnerException {
		List<String> table = new ArrayList<>();
		for (Line line : lines) {
			List<@Nullable Figures> figures = new ArrayList<>();
			for (String engine : ENGINES) {
				boolean measured = line.engines().contains(engine);
				figures.add(measured ? measure(line, engine) : null);
			}
			table.add(row(line, figures));
			System.err.println(table.getLast());
		}
		print(table);
	}

	private boolean isWanted(Line line) {
		return this.wanted.isEmpty() || this.wanted.stream().anyMatch(line.label()::contains);
	}

	private List<Line> lines() {
		List<Line> lines = new ArrayList<>();
		for (int threads : new int[] { 1, 16, 64 }) {
			lines.add(Line.put(Sync.ALWAYS, threads));
		}
		lines.add(Line.putOutstanding(Sync.ALWAYS, 64));
		lines.add(Line.put(Sync.INTERVAL, 16));
		lines.add(Line.put(Sync.NEVER, 16));
		for (String place : List.of("MEMORY", "TABLES")) {
			for (int threads : new int[] { 1, 16 }) {
				lines.add(Line.read("get, hit", "getHit", place, threads, 1, "gets/s"));
			}
			lines.add(Line.read("get, miss", "getMiss", place, 1, 1, "gets/s"));
		}
		lines.add(new Line("get, hit, tables, not in the page cache, 1 thread", "ColdReadBenchmark.getHits", Sync.NEVER,
				1, "", ColdReadBenchmark.READS, "gets/s", ENGINES));
		lines.add(Line.read("scan of 100", "scan100", "TABLES", 1, 100, "records/s"));
		lines.add(Line.read("scan of all", "scanAll", "TABLES", 1, this.effort.tableRecords, "records/s"));
		lines.add(new Line("bulk load, flush and compaction of %d records".formatted(this.effort.loadRecords),
				"LoadBenchmark.loadAndCompact", Sync.NEVER, 1, "",
				(double) this.effort.loadRecords * Records.SIZE_BYTES / (1 << 20), "MiB/s", ENGINES));
		lines.add(new Line("merges of a bulk load of %d records, without limits".formatted(this.effort.tableRecords),
				"CompactionBenchmark.merge", Sync.NEVER, 1, "", 1, "MiB/s written", ENGINES));
		return lines;
	}

	private Figures measure(Line line, String engine) throws RunnerException {
		boolean once = line.isOnce();
		ChainedOptionsBuilder options = new OptionsBuilder().include(line.benchmark() + "$")
			.param("engine", engine)
			.threads(line.threads())
			.forks(1)
			.verbosity(VerboseMode.SILENT)
			.shouldFailOnError(true)
			.jvmArgsAppend(System.getProperty("bench.jvm", "").trim().split("\\s+"))
			.addProfiler(GCProfiler.class)
			.addProfiler(CompactionProfiler.class)
			.mode(once ? Mode.SingleShotTime : Mode.SampleTime)
			.warmupIterations(once ? 1 : this.effort.warmups)
			.measurementIterations(once ? this.effort.loads : this.effort.iterations)
			.warmupTime(TimeValue.seconds(this.effort.warmupSeconds))
			.measurementTime(TimeValue.seconds(this.effort.seconds));
		addParameters(options, line);
		Collection<RunResult> results = new Runner(options.build()).run();
		RunResult result = results.iterator().next();
		if (line.isOfMerges()) {
			return Figures.ofRate(secondary(result, CompactionProfiler.WRITTEN));
		}
		return Figures.of(line, result.getPrimaryResult().getStatistics(), secondary(result, "gc.alloc.rate.norm"));
	}

	private static double secondary(RunResult result, String name) {
		Result<?> found = Objects.requireNonNull(result.getSecondaryResults().get(name));
		return found.getScore();
	}

	private void addParameters(ChainedOptionsBuilder options, Line line) {
		if (line.benchmark().startsWith("PutBenchmark")) {
			options.param("sync", line.sync().name());
		}
		if (line.benchmark().startsWith("ReadBenchmark")) {
			options.param("place", line.place()).param("tableRecords", Integer.toString(this.effort.tableRecords));
		}
		if (line.benchmark().startsWith("ColdReadBenchmark")) {
			options.param("tableRecords", Integer.toString(this.effort.tableRecords));
		}
		if (line.benchmark().startsWith("LoadBenchmark")) {
			options.param("loadRecords", Integer.toString(this.effort.loadRecords));
		}
		if (line.isOfMerges()) {
			options.param("loadRecords", Integer.toString(this.effort.tableRecords));
		}
	}

	private static String row(Line line, List<@Nullable Figures> figures) {
		Figures own = figures.get(0);
		Figures other = figures.get(1);
		double quotient = (own != null && other != null) ? own.perSecond() / other.perSecond() : Double.NaN;
		String ratio = Double.isNaN(quotient) ? "" : String.format(Locale.ROOT, "%.2f", quotient);
		return "| %s | %s | %s | %s | %s | %s | %s | %s |".formatted(line.label(), line.unit(), rate(own), rate(other),
				ratio, percentiles(own), percentiles(other), allocated(own));
	}

	private static String allocated(@Nullable Figures figures) {
		return (figures != null && !Double.isNaN(figures.allocatedBytes()))
				? String.format(Locale.ROOT, "%,.0f", figures.allocatedBytes()) : "";
	}

	private static String rate(@Nullable Figures figures) {
		return (figures != null && !Double.isNaN(figures.perSecond()))
				? String.format(Locale.ROOT, "%,.0f", figures.perSecond()) : "";
	}

	private static String percentiles(@Nullable Figures figures) {
		if (figures == null || figures.samples() < 1000) {
			return "";
		}
		return String.format(Locale.ROOT, "%.1f / %.1f / %.1f", figures.p50(), figures.p99(), figures.p999());
	}

	@SuppressWarnings("SystemOut") // the table is the output
	private static void print(List<String> table) {
		System.out.println("| what | unit | Quorate | RocksDB | ratio | Quorate p50 / p99 / p99.9 us | RocksDB | Quorate allocates, bytes |");
		System.out.println("|---|---|---:|---:|---:|---:|---:|---:|");
		table.forEach(System.out::println);
	}

	/** The lengths of the measurements. */
	private enum Effort {

		QUICK(1, 2, 2, 2, 1, 500_000, 500_000),

		FULL(2, 3, 5, 5, 2, 2_000_000, 10_000_000);

		private final int warmups;

		private final int warmupSeconds;

		private final int iterations;

		private final int seconds;

		private final int loads;

		private final int tableRecords;

		private final int loadRecords;

		Effort(int warmups, int warmupSeconds, int iterations, int seconds, int loads, int tableRecords,
				int loadRecords) {
			this.warmups = warmups;
			this.warmupSeconds = warmupSeconds;
			this.iterations = iterations;
			this.seconds = seconds;
			this.loads = loads;
			this.tableRecords = tableRecords;
			this.loadRecords = loadRecords;
		}

	}

	/**
	 * A line of the table.
	 *
	 * @param amount of units that one operation handles
	 */
	private record Line(String label, String benchmark, Sync sync, int threads, String place, double amount,
			String unit, List<String> engines) {

		/** Whether it is done as a whole, few times. */
		boolean isOnce() {
			return benchmark().startsWith("LoadBenchmark") || benchmark().startsWith("ColdReadBenchmark")
					|| isOfMerges();
		}

		/** Whether it is a rate that the stores measure themselves. */
		boolean isOfMerges() {
			return benchmark().startsWith("CompactionBenchmark");
		}

		static Line put(Sync sync, int threads) {
			return new Line("put, sync=%s, %s".formatted(sync.name().toLowerCase(Locale.ROOT), threads(threads)),
					"PutBenchmark.put", sync, threads, "", 1, "puts/s", ENGINES);
		}

		private static String threads(int number) {
			return (number == 1) ? "1 thread" : number + " threads";
		}

		static Line putOutstanding(Sync sync, int outstanding) {
			return new Line("put, sync=%s, 1 thread, %d outstanding".formatted(sync.name().toLowerCase(Locale.ROOT),
					outstanding), "PutBenchmark.putOutstanding", sync, 1, "", 1, "puts/s", List.of("quorate"));
		}

		static Line read(String what, String method, String place, int threads, double amount, String unit) {
			return new Line("%s, %s, %s".formatted(what, place.toLowerCase(Locale.ROOT), threads(threads)),
					"ReadBenchmark." + method, Sync.NEVER, threads, place, amount, unit, ENGINES);
		}

	}

	/**
	 * The figures of one engine.
	 *
	 * @param perSecond units a second, all threads together
	 * @param allocatedBytes on the heap, by all threads, for each operation, or unit
	 * where an operation is all of them
	 * @param p50 of an operation, in microseconds, like the others
	 */
	private record Figures(double perSecond, double p50, double p99, double p999, long samples,
			double allocatedBytes) {

		static Figures ofRate(double perSecond) {
			return new Figures(perSecond, 0, 0, 0, 0, Double.NaN);
		}

		static Figures of(Line line, Statistics micros, double allocatedBytes) {
			return new Figures(line.threads() * line.amount() * 1e6 / micros.getMean(), micros.getPercentile(50),
					micros.getPercentile(99), micros.getPercentile(99.9), micros.getN(),
					line.isOnce() ? allocatedBytes / line.amount() : allocatedBytes);
		}

	}

}
