package io.quorate.command.bench;

import java.io.PrintStream;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

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

	/* In order. */
	private final List<Interval> intervals = new ArrayList<>();

	private final LongAccumulator first = new LongAccumulator(Math::min, Long.MAX_VALUE);

	private final LongAccumulator last = new LongAccumulator(Math::max, 0);

	private final LongAdder late = new LongAdder();

	private final ConcurrentMap<String, LongAdder> reasons = new ConcurrentHashMap<>();

	/**
	 * Of no requests yet.
	 * @param interval time of which the latencies are printed apart
	 */
	BenchResult(BenchSchedule schedule, Duration interval) {
		this.schedule = schedule;
		long end = schedule.duration().toMillis();
		for (long from = 0; from < end; from += interval.toMillis()) {
			long to = Math.min(end, from + interval.toMillis());
			this.intervals.add(new Interval(seconds(from) + "-" + seconds(to), to - from));
		}
	}

	BenchSchedule schedule() {
		return this.schedule;
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
		long due = this.schedule.dueNanos(request);
		Interval interval = interval(due - this.schedule.warmup().toNanos());
		Kind kind = this.schedule.isRead(request) ? interval.reads : interval.writes;
		if (failure == null) {
			kind.latencies.recordValue(Math.max(0, TimeUnit.NANOSECONDS.toMicros(nanos)));
			this.first.accumulate(due + nanos);
			this.last.accumulate(due + nanos);
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

	private Interval interval(long nanos) {
		long number = TimeUnit.NANOSECONDS.toMillis(nanos) / this.intervals.getFirst().millis;
		return this.intervals.get((int) Math.clamp(number, 0, this.intervals.size() - 1L));
	}

	/** Whether every request was sent and answered as it should be. */
	boolean isWhole() {
		return this.late.sum() == 0 && this.reasons.isEmpty();
	}

	/** Prints the latencies, and the reasons of failures as messages. */
	void print(OutputFormat format, Terminal terminal) {
		List<Kind> rows = rows();
		PrintStream out = terminal.out();
		switch (format) {
			case JSON -> rows.forEach((kind) -> out.println(json(kind)));
			case RAW -> rows.forEach((kind) -> out.println(String.join("\t", cells(kind))));
			case TABLE -> {
				TextTable table = new TextTable(head());
				rows.forEach((kind) -> table.add(cells(kind)));
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

	/* Of each interval, if there are several, and of all of them. */
	private List<Kind> rows() {
		List<Interval> all = new ArrayList<>(isDivided() ? this.intervals : List.of());
		// What is answered late takes longer than it should.
		long span = TimeUnit.NANOSECONDS.toMillis(this.last.get() - Math.min(this.first.get(), this.last.get()));
		Interval whole = new Interval("all", Math.max(this.schedule.duration().toMillis(), span));
		this.intervals.forEach(whole::add);
		all.add(whole);
		return all.stream()
			.flatMap((each) -> Stream.of(each.reads, each.writes))
			.filter((kind) -> asked(kind) > 0)
			.toList();
	}

	private boolean isDivided() {
		return this.intervals.size() > 1;
	}

	private double asked(Kind kind) {
		return this.schedule.rate() * (kind.isRead() ? this.schedule.reads() : 1 - this.schedule.reads());
	}

	private String[] head() {
		return isDivided() ? Stream.concat(Stream.of("SECONDS"), Stream.of(HEAD)).toArray(String[]::new) : HEAD;
	}

	private String[] cells(Kind kind) {
		List<String> cells = new ArrayList<>(isDivided() ? List.of(kind.interval.name) : List.of());
		Collections.addAll(cells, kind.name, number(asked(kind), 0), number(kind.done(), 0),
				Long.toString(kind.failures.sum()));
		for (double percentile : PERCENTILES) {
			cells.add(number(kind.millis(percentile), 1));
		}
		return cells.toArray(String[]::new);
	}

	private static String number(double number, int digits) {
		return String.format(Locale.ROOT, "%." + digits + "f", number);
	}

	private static String seconds(long millis) {
		return BigDecimal.valueOf(millis).movePointLeft(3).stripTrailingZeros().toPlainString();
	}

	private ObjectNode json(Kind kind) {
		ObjectNode line = JsonMapper.shared().createObjectNode();
		if (isDivided()) {
			line.put("seconds", kind.interval.name);
		}
		line.put("request", kind.name)
			.put("askedPerSecond", asked(kind))
			.put("donePerSecond", kind.done())
			.put("done", kind.latencies.getTotalCount())
			.put("failed", kind.failures.sum());
		ObjectNode latencies = line.putObject("latencyMillis");
		for (double percentile : PERCENTILES) {
			String name = (percentile < 100) ? "p" + Double.toString(percentile).replaceFirst("\\.0$", "") : "max";
			latencies.put(name, kind.millis(percentile));
		}
		return line;
	}

	/** The requests that were due in a part of the time. */
	private static final class Interval {

		private final String name;

		private final long millis;

		private final Kind reads = new Kind("get", this);

		private final Kind writes = new Kind("put", this);

		private Interval(String name, long millis) {
			this.name = name;
			this.millis = millis;
		}

		private void add(Interval other) {
			this.reads.add(other.reads);
			this.writes.add(other.writes);
		}

	}

	/** The requests of one kind. */
	private static final class Kind {

		private final String name;

		private final Interval interval;

		private final Histogram latencies = new ConcurrentHistogram(DIGITS);

		private final LongAdder failures = new LongAdder();

		private Kind(String name, Interval interval) {
			this.name = name;
			this.interval = interval;
		}

		private boolean isRead() {
			return this == this.interval.reads;
		}

		private double done() {
			return (double) this.latencies.getTotalCount() * MILLIS_A_SECOND / this.interval.millis;
		}

		private void add(Kind other) {
			this.latencies.add(other.latencies);
			this.failures.add(other.failures.sum());
		}

		private double millis(double percentile) {
			return this.latencies.getValueAtPercentile(percentile) / MICROS_A_MILLI;
		}

	}

}
