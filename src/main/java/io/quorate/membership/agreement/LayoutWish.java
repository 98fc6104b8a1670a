package io.quorate.membership.agreement;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.quorate.consensus.Decision;
import io.quorate.consensus.Decisions;
import io.quorate.membership.layout.ChangeRefusedException.Reason;
import io.quorate.membership.layout.ChangeRefusedException;
import io.quorate.membership.layout.LayoutCodec;
import io.quorate.membership.layout.LayoutRecord;
import io.quorate.membership.layout.LayoutVersion;
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

	/**
	 * The version that it was to be is decided, with this content or another. That is not
	 * known of a node that has learned a later version, and not this one.
	 */
	void decided(Decisions known) {
		known.kept()
			.stream()
			.filter((decision) -> decision.version() == this.after + 1)
			.findFirst()
			.ifPresentOrElse(this::decided,
					() -> refuse(Reason.UNDECIDED, "the layout has %s by now, and it is not known what became of this"
						.formatted(LayoutVersion.of(known.latest()))));
	}

	private void decided(Decision decision) {
		LayoutVersion version = LayoutVersion.of(decision);
		LayoutRecord its = LayoutCodec.read(decision.decree());
		if (its.equals(this.record)) {
			this.outcome.complete(version);
		}
		else {
			refuse(Reason.OVERTAKEN, "%s was decided first: %s".formatted(version, its));
		}
	}

	private void refuse(Reason reason, String why) {
		this.outcome.completeExceptionally(new ChangeRefusedException(reason, why, null));
	}

	/**
	 * Whether it is decided or given up. Gives it up at its limit.
	 * @param failure reason for which the last attempt was in vain, if it was
	 */
	boolean isOver(long nowNanos, @Nullable String failure) {
		if (nowNanos - this.untilNanos >= 0) {
			refuse(Reason.UNDECIDED, "it is not decided within %d s, and may be later: %s".formatted(LIMIT.toSeconds(),
					(failure != null) ? failure : "this node cannot vote now"));
		}
		return this.outcome.isDone();
	}

}
