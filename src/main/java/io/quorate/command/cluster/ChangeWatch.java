package io.quorate.command.cluster;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import io.quorate.command.access.Cluster;
import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.Progress;
import org.jspecify.annotations.Nullable;

/**
 * The wait for the end of a change of members. It asks one node again and again, and the
 * next one when that does not answer, or knows less than another one has said: the node
 * may be the one that leaves, or be cut off from the others. Used by one thread.
 */
final class ChangeWatch {

	private static final Duration FIRST = Duration.ofMillis(200);

	private static final Duration LONGEST = Duration.ofSeconds(1);

	/* Number of looks at one node: it does not notice that it is cut off. */
	private static final int LOOKS = 10;

	private final Cluster cluster;

	private final ChangeProgress progress;

	private final Duration limit;

	private final Duration silence;

	private final long startNanos = System.nanoTime();

	private long seen;

	private long heardNanos = this.startNanos;

	private String reason = "";

	/**
	 * A wait that begins now.
	 * @param limit the most time to wait
	 * @param silence the most time without an answer of any node
	 */
	ChangeWatch(Cluster cluster, ChangeProgress progress, Duration limit, Duration silence) {
		this.cluster = cluster;
		this.progress = progress;
		this.limit = limit;
		this.silence = silence;
	}

	/**
	 * Waits until a layout is stable, and all members that are up have adopted it.
	 * @param version version of the layout that began or ended the change
	 * @throws CommandException if that is not seen in time
	 */
	LayoutAnswer awaitStable(long version) {
		this.seen = version;
		Duration pause = FIRST;
		for (int looks = 1;; looks++) {
			LayoutAnswer now = look();
			if (now != null) {
				if (now.isStable() && now.behind().isEmpty()) {
					return now;
				}
				this.progress.show(now);
			}
			if (now == null || looks % LOOKS == 0) {
				this.cluster.preferNext();
			}
			requireTime();
			LockSupport.parkNanos(pause.toNanos());
			pause = (pause.multipliedBy(2).compareTo(LONGEST) < 0) ? pause.multipliedBy(2) : LONGEST;
		}
	}

	/* The layout, unless the node does not show it, or an earlier one than was seen. */
	private @Nullable LayoutAnswer look() {
		LayoutAnswer now;
		try {
			now = LayoutAnswer.of(this.cluster);
		}
		catch (CommandException failure) {
			if (Thread.currentThread().isInterrupted()) {
				throw failure;
			}
			this.reason = String.valueOf(failure.getMessage());
			this.progress.silent(this.reason);
			return null;
		}
		if (now.version() < this.seen) {
			this.reason = "%s has version %d still, and the change began with a later one".formatted(now.node(),
					now.version());
			return null;
		}
		this.seen = now.version();
		this.heardNanos = System.nanoTime();
		this.reason = String.join("; ", now.isStable() ? now.behind() : now.blockedBy());
		return now;
	}

	private void requireTime() {
		long now = System.nanoTime();
		if (now - this.startNanos >= this.limit.toNanos()) {
			throw unfinished("it is not complete after " + text(this.limit));
		}
		if (now - this.heardNanos >= this.silence.toNanos()) {
			throw unfinished("no node has shown it for " + text(this.silence));
		}
	}

	private CommandException unfinished(String why) {
		return new CommandException(ExitCode.UNFINISHED,
				"the change goes on, and the command ends: %s%s. 'quorate cluster status' shows it.".formatted(why,
						this.reason.isEmpty() ? "" : " (" + this.reason + ")"));
	}

	private static String text(Duration time) {
		return (time.toSeconds() > 0) ? Progress.duration(time.toSeconds()) : time.toMillis() + " ms";
	}

}
