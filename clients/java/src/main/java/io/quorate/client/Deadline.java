package io.quorate.client;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** The instant at which a call ends, and the longest silence of a node until then. */
final class Deadline {

	/* The answer of a node that stands still in its last moment is still on its way. */
	private static final long BEHIND_NODE_TIMEOUT = TimeUnit.SECONDS.toNanos(2);

	private final LongSupplier nanos;

	private final long length;

	private volatile long silence;

	private volatile long end;

	private volatile boolean isEndless;

	Deadline(CallOptions options, LongSupplier nanos) {
		this.nanos = nanos;
		this.length = options.deadline().toNanos();
		Duration nodeTimeout = options.nodeTimeout();
		this.silence = Math.max(options.stallTimeout().toNanos(),
				(nodeTimeout != null) ? nodeTimeout.toNanos() + BEHIND_NODE_TIMEOUT : 0);
		this.end = nanos.getAsLong() + this.length;
	}

	/** Begins anew: the caller waits for more only from now on. */
	void restart() {
		this.end = this.nanos.getAsLong() + this.length;
	}

	/** Ends by nothing else from now on than by such a silence of a node. */
	void endBySilence(Duration longest) {
		this.isEndless = true;
		this.silence = longest.toNanos();
	}

	/** Returns the nanoseconds until the end; below 0 after it. */
	long left() {
		return this.isEndless ? Long.MAX_VALUE : this.end - this.nanos.getAsLong();
	}

	boolean isOver() {
		return left() <= 0;
	}

	/** Returns the nanoseconds for which a node may be silent. */
	long silence() {
		return this.silence;
	}

}
