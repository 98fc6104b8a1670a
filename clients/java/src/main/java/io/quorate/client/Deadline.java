package io.quorate.client;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The instant at which a call ends, and the longest silence of a node until then. */
final class Deadline {

	/* The answer of a node that stands still in its last moment is still on its way. */
	private static final long BEHIND_NODE_TIMEOUT = TimeUnit.SECONDS.toNanos(2);

	private final long length;

	private final long silence;

	private volatile long end;

	Deadline(CallOptions options) {
		this.length = options.deadline().toNanos();
		Duration nodeTimeout = options.nodeTimeout();
		this.silence = Math.max(options.stallTimeout().toNanos(),
				(nodeTimeout != null) ? nodeTimeout.toNanos() + BEHIND_NODE_TIMEOUT : 0);
		this.end = System.nanoTime() + this.length;
	}

	/** Begins anew: the caller waits for more only from now on. */
	void restart() {
		this.end = System.nanoTime() + this.length;
	}

	/** Returns the nanoseconds until the end; below 0 after it. */
	long left() {
		return this.end - System.nanoTime();
	}

	boolean isOver() {
		return left() <= 0;
	}

	/** Returns the nanoseconds for which a node may be silent. */
	long silence() {
		return this.silence;
	}

}
