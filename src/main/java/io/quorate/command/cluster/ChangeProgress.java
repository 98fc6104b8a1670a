package io.quorate.command.cluster;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.quorate.command.terminal.Progress;
import io.quorate.command.terminal.Terminal;

/**
 * The progress of a change of members, on standard error: on a screen one line that is
 * drawn again, below the reasons for which the change is not complete; elsewhere a line
 * at each step and every ten seconds. Used by one thread.
 */
final class ChangeProgress implements AutoCloseable {

	private static final Duration ELSEWHERE = Duration.ofSeconds(10);

	private static final String CLEAR_LINE = "\r\u001b[K";

	private final PrintStream err;

	private final boolean isScreen;

	private final LongSupplier nanos;

	private final long startNanos;

	private long printedNanos;

	private String step = "";

	private List<String> reasons = List.of();

	ChangeProgress(Terminal terminal, LongSupplier nanos) {
		this.err = terminal.err();
		this.isScreen = terminal.screens().err();
		this.nanos = nanos;
		this.startNanos = nanos.getAsLong();
		this.printedNanos = this.startNanos;
	}

	/** Shows the state of a layout that is not stable everywhere. */
	void show(LayoutAnswer layout) {
		ChangeReport change = layout.change();
		List<String> waits = layout.isStable() ? layout.behind() : layout.blockedBy();
		List<String> words = new ArrayList<>();
		String now;
		if (layout.isStable()) {
			now = "adopting version " + layout.version();
			words.add(now);
		}
		else {
			now = change.step();
			double share = change.share();
			words.add(Double.isNaN(share) ? now : Progress.bar(now, share));
			words.addAll(change.amounts());
		}
		if (words.size() == 1) {
			words.add("in "
					+ Progress.duration(TimeUnit.NANOSECONDS.toSeconds(this.nanos.getAsLong() - this.startNanos)));
		}
		print(now, String.join("  ", words), waits);
	}

	/**
	 * Shows that no node answers.
	 * @param reason the failures of the nodes
	 */
	void silent(String reason) {
		print("no answer", "no node shows the layout", List.of(reason.lines().findFirst().orElse("")));
	}

	private void print(String now, String line, List<String> waits) {
		List<String> plain = waits.stream().map(ChangeProgress::withoutNumbers).toList();
		boolean isNew = !plain.equals(this.reasons);
		if (this.isScreen) {
			this.err.print(CLEAR_LINE);
			if (isNew) {
				waits.forEach((reason) -> this.err.println("waits: " + reason));
			}
			this.err.print(line);
		}
		else if (isNew || !now.equals(this.step) || isDue()) {
			this.err.println(waits.isEmpty() ? line : line + "; waits: " + String.join("; ", waits));
			this.printedNanos = this.nanos.getAsLong();
		}
		this.err.flush();
		this.step = now;
		this.reasons = plain;
	}

	private boolean isDue() {
		return this.nanos.getAsLong() - this.printedNanos >= ELSEWHERE.toNanos();
	}

	/* A reason that counts seconds is the same one. */
	private static String withoutNumbers(String reason) {
		return reason.replaceAll("\\b\\d+(?:\\.\\d+)?\\b", "");
	}

	/** Ends the line. */
	@Override
	public void close() {
		if (this.isScreen && !this.step.isEmpty()) {
			this.err.print(CLEAR_LINE);
			this.err.flush();
		}
	}

}
