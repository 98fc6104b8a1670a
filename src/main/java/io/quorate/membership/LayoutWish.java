package io.quorate.membership;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.quorate.membership.ChangeRefusedException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * A layout that this node was asked to have decided.
 *
 * @param record content of the layout
 * @param after version that it is to follow
 * @param untilNanos instant at which it is given up
 * @param outcome its version, once it is decided
 */
record LayoutWish(LayoutRecord record, long after, long untilNanos, CompletableFuture<LayoutVersion> outcome) {

	/** Time after which it is not known whether the layout will be decided. */
	static final Duration LIMIT = Duration.ofSeconds(10);

	static LayoutWish of(LayoutRecord record, long after, long nowNanos) {
		return new LayoutWish(record, after, nowNanos + LIMIT.toNanos(), new CompletableFuture<>());
	}

	/** A layout is decided, this one or another. */
	void decided(LayoutVersion version, LayoutRecord its) {
		if (version.version() == this.after + 1 && its.equals(this.record)) {
			this.outcome.complete(version);
		}
		else {
			this.outcome.completeExceptionally(new ChangeRefusedException(Reason.OVERTAKEN,
					"%s was decided first: %s".formatted(version, its), null));
		}
	}

	/**
	 * Whether it is decided or given up. Gives it up at its limit.
	 * @param failure reason for which the last attempt was in vain, if it was
	 */
	boolean isOver(long nowNanos, @Nullable String failure) {
		if (nowNanos - this.untilNanos >= 0) {
			this.outcome.completeExceptionally(new ChangeRefusedException(Reason.UNDECIDED,
					"it is not decided within %d s, and may be later: %s".formatted(LIMIT.toSeconds(),
							(failure != null) ? failure : "this node cannot vote now"),
					null));
		}
		return this.outcome.isDone();
	}

}
