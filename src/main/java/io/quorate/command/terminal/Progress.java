package io.quorate.command.terminal;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * The progress of a command that takes long, on standard error: on a screen one line that
 * is drawn again, elsewhere a line every ten seconds. Any thread may count; one thread of
 * its own draws, until it is closed.
 */
public final class Progress implements AutoCloseable {

	private static final Duration ON_SCREEN = Duration.ofMillis(250);

	private static final Duration ELSEWHERE = Duration.ofSeconds(10);

	private static final int BAR = 24;

	private static final double PERCENT = 100;

	private static final double NANOS_A_SECOND = TimeUnit.SECONDS.toNanos(1);

	/* The rate is that of about so many seconds. */
	private static final double WINDOW_SECONDS = 3;

	/* A count that comes from elsewhere moves in steps, with pauses between them. */
	private static final double PAUSE_SECONDS = 6;

	private static final String CLEAR_LINE = "\r\u001b[K";

	private final PrintStream err;

	private final boolean isScreen;

	private final String verb;

	private final ProgressUnit unit;

	private final DoubleSupplier share;

	private final LongSupplier nanos;

	private final long start;

	private final LongAdder records = new LongAdder();

	private final LongAdder failures = new LongAdder();

	private final ScheduledExecutorService clock = Executors
		.newSingleThreadScheduledExecutor(Thread.ofVirtual().factory());

	private @Nullable Future<?> drawing;

	private long lastNanos;

	private long lastRecords;

	private double rate = Double.NaN;

	/** Begins to draw the progress of work on records. */
	public static Progress start(Terminal terminal, String verb, DoubleSupplier share) {
		return start(terminal, verb, ProgressUnit.of("records"), share);
	}

	/**
	 * Begins to draw.
	 * @param verb the word for what is done, such as {@code exported}
	 * @param unit the things that are counted
	 * @param share the part of the work that is done, 0 to 1, or {@link Double#NaN}
	 */
	public static Progress start(Terminal terminal, String verb, ProgressUnit unit, DoubleSupplier share) {
		Progress progress = new Progress(terminal, verb, unit, share, System::nanoTime);
		long period = (progress.isScreen ? ON_SCREEN : ELSEWHERE).toNanos();
		progress.drawing = progress.clock.scheduleAtFixedRate(progress::draw, period, period, TimeUnit.NANOSECONDS);
		return progress;
	}

	Progress(Terminal terminal, String verb, ProgressUnit unit, DoubleSupplier share, LongSupplier nanos) {
		this.err = terminal.err();
		this.isScreen = terminal.screens().err();
		this.verb = verb;
		this.unit = unit;
		this.share = share;
		this.nanos = nanos;
		this.start = nanos.getAsLong();
		this.lastNanos = this.start;
	}

	/** More is done. */
	public void done(long count) {
		this.records.add(count);
	}

	/** More has failed. */
	public void failed(long count) {
		this.failures.add(count);
	}

	/** The number of what is done. */
	public long records() {
		return this.records.sum();
	}

	/** Prints the present state. */
	synchronized void draw() {
		String line = line();
		if (this.isScreen) {
			this.err.print(CLEAR_LINE + line);
		}
		else {
			this.err.println(line);
		}
		this.err.flush();
	}

	/** Has messages printed while no line is drawn. The next one is below them. */
	public synchronized void pauseFor(Runnable messages) {
		if (this.isScreen) {
			this.err.print(CLEAR_LINE);
			this.err.flush();
		}
		messages.run();
	}

	private String line() {
		long now = this.nanos.getAsLong();
		long count = this.records.sum();
		double passed = (now - this.lastNanos) / NANOS_A_SECOND;
		if (passed > 0 && (count != this.lastRecords || passed >= PAUSE_SECONDS)) {
			double present = (count - this.lastRecords) / passed;
			double weight = Double.isNaN(this.rate) ? 1 : 1 - Math.exp(-passed / WINDOW_SECONDS);
			this.rate = weight * present + (Double.isNaN(this.rate) ? 0 : (1 - weight) * this.rate);
			this.lastNanos = now;
			this.lastRecords = count;
		}
		double part = this.share.getAsDouble();
		StringBuilder line = new StringBuilder(Double.isNaN(part) ? this.verb : bar(this.verb, part));
		line.append("  ")
			.append(this.unit.amount(count))
			.append("  ")
			.append(this.unit.rate(Double.isNaN(this.rate) ? 0 : Math.max(0, this.rate)));
		double elapsed = (now - this.start) / NANOS_A_SECOND;
		if (Double.isNaN(part)) {
			line.append("  in ").append(duration(Math.round(elapsed)));
		}
		else if (part > 0 && part < 1) {
			line.append("  ETA ").append(duration(Math.round(elapsed * (1 - part) / part)));
		}
		return line.append("  failed ").append(String.format(Locale.ROOT, "%,d", this.failures.sum())).toString();
	}

	/** A word for what is done, a bar, and a share in percent. */
	public static String bar(String verb, double part) {
		int full = (int) Math.round(Math.clamp(part, 0, 1) * BAR);
		return verb + " [" + "=".repeat(Math.max(0, full - 1)) + ((full > 0) ? ">" : "") + " ".repeat(BAR - full) + "]"
				+ String.format(Locale.ROOT, " %3.0f %%", part * PERCENT);
	}

	/** A time in hours, minutes and seconds. */
	public static String duration(long seconds) {
		return (seconds >= TimeUnit.HOURS.toSeconds(1))
				? String.format(Locale.ROOT, "%d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60)
				: String.format(Locale.ROOT, "%d:%02d", seconds / 60, seconds % 60);
	}

	/** Stops to draw, and prints the sum. */
	@Override
	public void close() {
		if (this.drawing != null) {
			this.drawing.cancel(false);
		}
		this.clock.shutdownNow();
		synchronized (this) {
			double seconds = Math.max((this.nanos.getAsLong() - this.start) / NANOS_A_SECOND, 1 / PERCENT);
			this.err.printf(Locale.ROOT, "%s%s %s in %.1f s, %s; failed: %,d%n", this.isScreen ? CLEAR_LINE : "",
					this.verb, this.unit.amount(this.records.sum()), seconds,
					this.unit.rate(this.records.sum() / seconds), this.failures.sum());
			this.err.flush();
		}
	}

}
