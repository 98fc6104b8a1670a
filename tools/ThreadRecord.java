import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * A record of the processor time that the threads of some processes have used, and have waited for, in steps of some
 * milliseconds. It tells which of them worked when requests were answered late. Linux alone: it reads
 * {@code /proc/PID/task/TID/schedstat}. Its own thread takes some hundredths of a processor.
 */
final class ThreadRecord implements AutoCloseable {

	private static final long STEP_NANOS = Duration.ofMillis(10).toNanos();

	private static final int STEPS_BETWEEN_LISTS = 10;

	private static final Duration END = Duration.ofSeconds(10);

	/*
	 * Time from the instant at which a request was due, alike for all requests: a late one
	 * must not meet more for being late.
	 */
	private static final long LOOK_NANOS = Duration.ofMillis(40).toNanos();

	/* Before and behind that instant. The kernel counts stolen time in ticks of 10 ms. */
	private static final long STOLEN_NANOS = Duration.ofMillis(100).toNanos();

	/* Part of one processor from which on a kind of threads counts as at work. */
	private static final double AT_WORK = 0.1;

	private static final double LATE = 0.999;

	/** The kinds of threads; a thread is of the first one whose pattern begins its name. */
	private enum Kind {

		C1("C1 Compiler"), C2("C2 Compiler"), COLLECTOR("GC Thread|G1 "), SAFEPOINTS("VM Thread"), FLUSHES("storage-flush"),
		MERGES("storage-compact"), CLEANING("storage-(clean|house|scrub)"), LOG("storage-log"), EVENT_LOOPS("reactor-http"),
		OTHERS("");

		private final Pattern names;

		Kind(String names) {
			this.names = Pattern.compile("(?:" + names + ").*", Pattern.DOTALL);
		}

		private static Kind of(String name) {
			return Arrays.stream(values()).filter((kind) -> kind.names.matcher(name).matches()).findFirst().orElseThrow();
		}

		private String word() {
			return name().toLowerCase(Locale.ROOT).replace('_', ' ');
		}

	}

	/* Kinds whose work is no part of a request: it waits for them as they take a processor, or stop it. */
	private static final List<Kind> BEHIND = List.of(Kind.C1, Kind.C2, Kind.COLLECTOR, Kind.SAFEPOINTS, Kind.FLUSHES, Kind.MERGES,
			Kind.CLEANING);

	private final List<Path> processes;

	private final long tickNanos;

	private final Map<Path, Watched> watched = new HashMap<>();

	private final ByteBuffer buffer = ByteBuffer.allocate(256);

	private final List<Step> steps = new ArrayList<>();

	private final Thread thread = new Thread(this::record, "thread-record");

	private volatile boolean isOver;

	private volatile Exception failure;

	/**
	 * Begins a record.
	 * @param processes directories below {@code /proc}
	 * @param hertz ticks of a second in {@code /proc/stat}
	 */
	ThreadRecord(List<Path> processes, int hertz) {
		this.processes = processes;
		this.tickNanos = Duration.ofSeconds(1).toNanos() / hertz;
		this.thread.setDaemon(true);
		this.thread.start();
	}

	@Override
	public void close() {
		this.isOver = true;
		try {
			if (!this.thread.join(END)) {
				this.failure = new IllegalStateException("The thread of the record has not ended within " + END);
			}
		}
		catch (InterruptedException interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	private void record() {
		try {
			for (int step = 0; !this.isOver; step++) {
				if (step % STEPS_BETWEEN_LISTS == 0) {
					list();
				}
				this.steps.add(step());
				LockSupport.parkNanos(STEP_NANOS);
			}
		}
		catch (IOException | RuntimeException impossible) {
			this.failure = impossible;
		}
		finally {
			this.watched.values().forEach(Watched::close);
		}
	}

	private void list() throws IOException {
		for (Path process : this.processes) {
			try (Stream<Path> threads = Files.list(process.resolve("task"))) {
				for (Path thread : threads.toList()) {
					if (!this.watched.containsKey(thread)) {
						add(thread, this.steps.isEmpty());
					}
				}
			}
		}
	}

	/* The past of a thread that is older than the record is of no step. */
	private void add(Path thread, boolean isOlder) {
		try {
			Watched added = new Watched(Kind.of(Files.readString(thread.resolve("comm"))),
					FileChannel.open(thread.resolve("schedstat"), StandardOpenOption.READ), new long[2], new long[2]);
			added.read(this.buffer);
			if (isOlder) {
				System.arraycopy(added.counts(), 0, added.before(), 0, added.before().length);
			}
			this.watched.put(thread, added);
		}
		catch (IOException ended) {
			/* Threads come and go. */
		}
	}

	/* What a thread has used stays in the sums once it has ended. */
	private Step step() throws IOException {
		long begun = System.nanoTime();
		Map<Kind, Long> ran = new EnumMap<>(Kind.class);
		Map<Kind, Long> waited = new EnumMap<>(Kind.class);
		for (Watched each : this.watched.values()) {
			each.read(this.buffer);
			ran.merge(each.kind(), each.counts()[0] - each.before()[0], Long::sum);
			waited.merge(each.kind(), each.counts()[1] - each.before()[1], Long::sum);
		}
		String[] processors = Files.readString(Path.of("/proc/stat")).lines().findFirst().orElseThrow().split(" +");
		return new Step(begun, System.nanoTime(), ran, waited, Long.parseLong(processors[8]) * this.tickNanos);
	}

	/**
	 * Returns tables in Markdown: which threads worked when requests were due, and when the slowest of them were; the
	 * percentiles of the requests for which the threads of one kind did not; how many threads waited for a processor.
	 * @param due instants at which requests were due, by {@link System#nanoTime}, in their order
	 * @param nanos latencies of these requests
	 * @throws IllegalStateException when the record is not whole
	 */
	String report(long[] due, long[] nanos) {
		if (this.failure != null || this.steps.size() < 2) {
			throw new IllegalStateException("The record of the threads is not whole", this.failure);
		}
		Window[] near = windows(due, 0, LOOK_NANOS);
		Window[] wide = windows(due, STOLEN_NANOS, STOLEN_NANOS);
		boolean[] isLate = slowest(nanos);
		long[] lengths = Arrays.stream(near).mapToLong(Window::nanos).sorted().toArray();
		StringBuilder table = new StringBuilder(String.format(Locale.ROOT,
				"%d requests: p50 %.2f, p99 %.2f, p99.9 %.2f, max %.2f ms. A kind of threads is at work for a request when it uses %.1f"
						+ " of a processor or more, from the last step of the record before the request was due to the first one %d ms after"
						+ " that (%.0f ms apart in half of the cases, %.0f at most); the host is when it steals as much in %d ms around.%n%n",
				nanos.length, percentile(nanos, 0.5) / 1e6, percentile(nanos, 0.99) / 1e6, percentile(nanos, LATE) / 1e6,
				percentile(nanos, 1) / 1e6, AT_WORK, LOOK_NANOS / 1_000_000, lengths[lengths.length / 2] / 1e6,
				lengths[lengths.length - 1] / 1e6, 2 * STOLEN_NANOS / 1_000_000));
		table.append("| at work | for requests | for the slowest 0.1 % | p99 of the others, ms | p99.9 of the others, ms |\n|---|---:|---:|---:|---:|\n");
		for (Kind kind : BEHIND) {
			table.append(row(kind.word(), nanos, isLate, (i) -> near[i].of(Step::ran, kind) >= AT_WORK));
		}
		table.append(row("the host (stolen)", nanos, isLate, (i) -> wide[i].stolen() >= AT_WORK));
		table.append(row("any of these", nanos, isLate, (i) -> wide[i].stolen() >= AT_WORK
				|| BEHIND.stream().anyMatch((kind) -> near[i].of(Step::ran, kind) >= AT_WORK)));
		table.append("\n| threads | processors used | threads that wait for one, on average | for the slowest 0.1 % |\n|---|---:|---:|---:|\n");
		long end = IntStream.range(0, due.length).mapToLong((i) -> due[i] + nanos[i]).max().orElseThrow();
		Window whole = windows(new long[] { due[0] }, 0, end - due[0])[0];
		for (Kind kind : Kind.values()) {
			double late = IntStream.range(0, nanos.length)
				.filter((i) -> isLate[i])
				.mapToDouble((i) -> near[i].of(Step::waited, kind))
				.average()
				.orElse(0);
			table.append(String.format(Locale.ROOT, "| %s | %.3f | %.3f | %.3f |%n", kind.word(), whole.of(Step::ran, kind),
					whole.of(Step::waited, kind), late));
		}
		return table.toString();
	}

	/* Requests with the longest latencies, as many as are beyond the percentile. */
	private static boolean[] slowest(long[] nanos) {
		boolean[] isLate = new boolean[nanos.length];
		IntStream.range(0, nanos.length)
			.boxed()
			.sorted(Comparator.comparingLong((i) -> -nanos[i]))
			.limit(nanos.length - (long) Math.ceil(nanos.length * LATE))
			.forEach((i) -> isLate[i] = true);
		return isLate;
	}

	private static String row(String name, long[] nanos, boolean[] isLate, IntPredicate atWork) {
		boolean[] at = new boolean[nanos.length];
		IntStream.range(0, at.length).forEach((i) -> at[i] = atWork.test(i));
		long late = IntStream.range(0, at.length).filter((i) -> isLate[i]).count();
		long lateAt = IntStream.range(0, at.length).filter((i) -> isLate[i] && at[i]).count();
		long[] others = IntStream.range(0, at.length).filter((i) -> !at[i]).mapToLong((i) -> nanos[i]).toArray();
		return String.format(Locale.ROOT, "| %s | %.1f %% | %.1f %% | %s | %s |%n", name,
				100.0 * (at.length - others.length) / at.length, 100.0 * lateAt / Math.max(1, late), millis(others, 0.99),
				millis(others, LATE));
	}

	private static String millis(long[] nanos, double part) {
		return (nanos.length == 0) ? "-" : String.format(Locale.ROOT, "%.2f", percentile(nanos, part) / 1e6);
	}

	private static long percentile(long[] nanos, double part) {
		long[] sorted = nanos.clone();
		Arrays.sort(sorted);
		return sorted[Math.max(0, (int) Math.ceil(sorted.length * part) - 1)];
	}

	/* From the last step that ended before some instants to the first one that began after them. */
	private Window[] windows(long[] instants, long before, long behind) {
		long[] begun = this.steps.stream().mapToLong(Step::begun).toArray();
		long[] ended = this.steps.stream().mapToLong(Step::ended).toArray();
		return LongStream.of(instants).mapToObj((instant) -> {
			int first = Math.clamp(place(ended, instant - before + 1) - 1, 0, this.steps.size() - 2);
			int last = Math.clamp(place(begun, instant + behind), first + 1, this.steps.size() - 1);
			return new Window(this.steps.get(first), this.steps.get(last));
		}).toArray(Window[]::new);
	}

	/* Of the first time that is not before an instant. */
	private static int place(long[] times, long instant) {
		int found = Arrays.binarySearch(times, instant);
		return (found < 0) ? -found - 1 : found;
	}

	/** The counts of all threads, in nanoseconds, read between two instants. */
	private record Step(long begun, long ended, Map<Kind, Long> ran, Map<Kind, Long> waited, long stolen) {
	}

	/** The time between two steps. */
	private record Window(Step first, Step last) {

		/** Processors that a kind of threads has used, or waited for, on average. */
		private double of(Function<Step, Map<Kind, Long>> count, Kind kind) {
			long difference = count.apply(this.last).getOrDefault(kind, 0L) - count.apply(this.first).getOrDefault(kind, 0L);
			return (double) difference / nanos();
		}

		private double stolen() {
			return (double) (this.last.stolen() - this.first.stolen()) / nanos();
		}

		private long nanos() {
			return this.last.ended() - this.first.ended();
		}

	}

	/**
	 * A thread.
	 *
	 * @param before counts when the record began
	 */
	private record Watched(Kind kind, FileChannel file, long[] counts, long[] before) {

		private void close() {
			try {
				this.file.close();
			}
			catch (IOException closed) {
				/* It was read alone. */
			}
		}

		private void read(ByteBuffer buffer) {
			try {
				buffer.clear();
				int length = this.file.read(buffer, 0);
				String[] fields = new String(buffer.array(), 0, Math.max(0, length), StandardCharsets.US_ASCII).split(" ");
				if (fields.length > 2) {
					this.counts[0] = Long.parseLong(fields[0]);
					this.counts[1] = Long.parseLong(fields[1]);
				}
			}
			catch (IOException ended) {
				/* Its counts stay as they were. */
			}
		}

	}

}
