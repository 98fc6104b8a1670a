package io.quorate.coordinator;

import io.quorate.clock.Deadline;
import io.quorate.clock.HybridClock;
import io.quorate.clock.SkewJudge;
import io.quorate.clock.Timestamp;
import io.quorate.coordinator.RefusedException.Why;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The timestamps that this node gives out, and those that replicas show to it. */
final class TimestampSource {

	/* The clock may jump again while the ceiling is recorded. */
	private static final int MOST_JUMPS = 100;

	private final HybridClock clock;

	private final SkewJudge judge;

	private final DeadlineSweep deadlines;

	TimestampSource(HybridClock clock, SkewJudge judge, DeadlineSweep deadlines) {
		this.clock = clock;
		this.judge = judge;
		this.deadlines = deadlines;
	}

	/**
	 * The timestamp of a write; waits for the disk only when the clock has jumped. Fails
	 * with {@link RefusedException}.
	 */
	Mono<Timestamp> next(Deadline deadline) {
		if (this.judge.refusesOwnClock()) {
			return Mono.error(ahead());
		}
		Timestamp timestamp = this.clock.tryNow();
		return (timestamp != null) ? judged(timestamp, deadline)
				: whenCeilingRaised(deadline).flatMap((given) -> judged(given, deadline));
	}

	/**
	 * Checks the deadline after the timestamp was given out: a thread that checks before
	 * may stand still in between.
	 */
	private Mono<Timestamp> judged(Timestamp timestamp, Deadline deadline) {
		if (deadline.nanos() - this.deadlines.nanoTime() <= 0) {
			return Mono.error(new RefusedException(Why.LATE, "the deadline had passed when the write got a timestamp"));
		}
		if (this.judge.refuses(timestamp)) {
			return Mono.error(ahead());
		}
		return Mono.just(timestamp);
	}

	private Mono<Timestamp> whenCeilingRaised(Deadline deadline) {
		return Mono.fromFuture(this.clock::whenCeilingRaised, true)
			.then(Mono.fromSupplier(this.clock::tryNow))
			.repeatWhenEmpty(MOST_JUMPS, (jumps) -> jumps)
			.or(this.deadlines.failAt(deadline, () -> stuck(null)))
			.onErrorMap((cause) -> !(cause instanceof RefusedException), TimestampSource::stuck)
			.switchIfEmpty(Mono.error(() -> stuck(null)));
	}

	private RefusedException ahead() {
		if (this.judge.isDisputed()) {
			return new RefusedException(Why.CLOCK,
					"the clock of this node and that of the only other member it knows are further apart than"
							+ " quorate.clock.max-skew, and this node cannot tell which one is wrong");
		}
		return new RefusedException(Why.CLOCK,
				"the clock of this node is too far ahead of the cluster's, which is at %d ms since the epoch"
					.formatted(this.judge.medianMillis()));
	}

	private static RefusedException stuck(@Nullable Throwable cause) {
		return new RefusedException(Why.CLOCK, "the clock can give out no timestamp: its ceiling could not be recorded"
				+ ((cause != null) ? " (" + cause.getMessage() + ")" : " in time"));
	}

	/**
	 * Moves the clock to a timestamp that a replica has shown, unless the timestamp is
	 * from too far in the future: then it is not to be believed.
	 * @return whether the timestamp is believed
	 */
	boolean observe(Timestamp shown) {
		if (this.judge.refuses(shown)) {
			return false;
		}
		this.clock.observe(shown);
		return true;
	}

	/** The present in milliseconds since the epoch, for judging expiry. */
	long nowMillis() {
		return this.clock.currentMillis();
	}

}
