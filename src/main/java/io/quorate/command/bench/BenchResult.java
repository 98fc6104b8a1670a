package io.quorate.command.bench;

import java.io.PrintStream;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

import io.quorate.command.terminal.OutputFormat;
import io.quorate.command.terminal.Terminal;
import io.quorate.command.terminal.TextTable;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The latencies and failures of a load. Any thread may count. */
final class BenchResult {

	private static final double[] PERCENTILES = { 50, 90, 99, 99.9, 100 };

	private static final String[] HEAD = { "REQUEST", "ASKED/S", "DONE/S", "FAILED", "P50 MS", "P90 MS", "P99 MS",
			"P99.9 MS", "MAX MS" };

	private static final int DIGITS = 3;

	private static final int MOST_REASONS = 5;

	private static final double MICROS_A_MILLI = 1000;

	private static final int MILLIS_A_SECOND = 1000;

	private final BenchSchedule schedule;

	private final Kind reads = new Kind("get");

	private final Kind writes = new Kind("put");

	private final LongAdder late = new LongAdder();

	private final ConcurrentMap<String, LongAdder> reasons = new ConcurrentHashMap<>();

	BenchResult(BenchSchedule schedule) {
		this.schedule = schedule;
	}

	/**
	 * Counts the end of a request, unless it belongs to the warm-up.
	 * @param nanos time since it was due
	 * @param failure reason for which it has failed, {@code null} if it has not
	 */
	void answered(long request, long nanos, @Nullable String failure) {
		if (request < this.schedule.firstMeasured()) {
			return;
		}
		Kind kind = kind(request);
		if (failure == null) {
			kind.latencies.recordValue(Math.max(0, TimeUnit.NANOSECONDS.toMicros(nanos)));
		}
		else {
			kind.failures.increment();
			this.reasons.computeIfAbsent(failure, (_) -> new LongAdder()).increment();
		}
	}

	/** Counts a request that was not sent, because too many were under way. */
	void notSent(long request) {
		if (request >= this.schedule.firstMeasured()) {
			this.late.increment();
		}
	}

	private Kind kind(long request) {
		return this.schedule.isRead(request) ? this.reads : this.writes;
	}

	/** Whether every request was sent and answered as it should be. */
	boolean isWhole() {
		return this.late.sum() == 0 && this.reasons.isEmpty();
	}

	/** Prints the latencies, and the reasons of failures as messages. */
	void print(OutputFormat format, Terminal terminal) {
		List<Kind> kinds = List.of(this.reads, this.writes).stream().filter((kind) -> asked(kind) > 0).toList();
		PrintStream out = terminal.out();
		switch (format) {
			case JSON -> kinds.forEach((kind) -> out.println(json(kind)));
			case RAW -> kinds.forEach((kind) -> out.println(String.join("\t", cells(kind))));
			case TABLE -> {
				TextTable table = new TextTable(HEAD);
				kinds.forEach((kind) -> table.add(cells(kind)));
				table.print(out);
			}
		}
		if (this.late.sum() > 0) {
			terminal.err()
				.printf(Locale.ROOT, "%,d requests were not sent: the nodes do not keep up with %,d a second%n",
						this.late.sum(), this.schedule.rate());
		}
		this.reasons.entrySet()
			.stream()
			.sorted(Comparator.comparingLong((Map.Entry<String, LongAdder> reason) -> -reason.getValue().sum()))
			.limit(MOST_REASONS)
			.forEach((reason) -> terminal.err()
				.printf(Locale.ROOT, "%,d failed: %s%n", reason.getValue().sum(), reason.getKey()));
	}

	private double asked(Kind kind) {
		double share = (kind == this.reads) ? this.schedule.reads() : 1 - this.schedule.reads();
		return this.schedule.rate() * share;
	}

	private double done(Kind kind) {
		return (double) kind.latencies.getTotalCount() * MILLIS_A_SECOND / this.schedule.duration().toMillis();
	}

	private String[] cells(Kind kind) {
		String[] cells = Arrays.copyOf(new String[] { kind.name, number(asked(kind), 0), number(done(kind), 0),
				Long.toString(kind.failures.sum()) }, HEAD.length);
		for (int i = 0; i < PERCENTILES.length; i++) {
			cells[HEAD.length - PERCENTILES.length + i] = number(kind.millis(PERCENTILES[i]), 1);
		}
		return cells;
	}

	private static String number(double number, int digits) {
		return String.format(Locale.ROOT, "%." + digits + "f", number);
	}

	private ObjectNode json(Kind kind) {
		ObjectNode line = JsonMapper.shared().createObjectNode();
		line.put("request", kind.name)
			.put("askedPerSecond", asked(kind))
			.put("donePerSecond", done(kind))
			.put("done", kind.latencies.getTotalCount())
			.put("failed", kind.failures.sum());
		ObjectNode latencies = line.putObject("latencyMillis");
		for (double percentile : PERCENTILES) {
			String name = (percentile < 100) ? "p" + Double.toString(percentile).replaceFirst("\\.0$", "") : "max";
			latencies.put(name, kind.millis(percentile));
		}
		return line;
	}

	/** The requests of one kind. */
	private static final class Kind {

		private final String name;

		private final Histogram latencies = new ConcurrentHistogram(DIGITS);

		private final LongAdder failures = new LongAdder();

		private Kind(String name) {
			this.name = name;
		}

		private double millis(double percentile) {
			return this.latencies.getValueAtPercentile(percentile) / MICROS_A_MILLI;
		}

	}

}
