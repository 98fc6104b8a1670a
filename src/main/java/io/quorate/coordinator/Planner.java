package io.quorate.coordinator;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.quorate.clock.Deadline;
import io.quorate.entry.Entry;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Plans requests by the current layout, and plans a request anew that replicas have
 * refused because they have adopted another one. Before that it waits until this node has
 * adopted a later layout, too, or until {@value #RETRY_MILLIS} ms are over, in which a
 * replica may have caught up.
 */
final class Planner {

	static final int RETRY_MILLIS = 50;

	private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(RETRY_MILLIS);

	private final Supplier<PreferenceLists> lists;

	private final DeadlineSweep deadlines;

	private final CoordinatorMetrics metrics;

	Planner(Supplier<PreferenceLists> lists, DeadlineSweep deadlines, CoordinatorMetrics metrics) {
		this.lists = lists;
		this.deadlines = deadlines;
		this.metrics = metrics;
	}

	/**
	 * The replica sets by the current layout: one layout gives both replicas and quorum.
	 */
	PreferenceLists lists() {
		return this.lists.get();
	}

	/**
	 * Runs a request by the current layout, and anew as long as its attempts end with a
	 * {@link LayoutMismatchException}; at the deadline it fails with the outcome of the
	 * last one.
	 */
	<T> Mono<T> run(Deadline deadline, Attempt<T> attempt) {
		return run(deadline, attempt, null);
	}

	private <T> Mono<T> run(Deadline deadline, Attempt<T> attempt, @Nullable Entry sent) {
		PreferenceLists planned = lists();
		return attempt.by(planned, sent).onErrorResume(LayoutMismatchException.class, (ended) -> {
			this.metrics.plannedAnew();
			long refusedNanos = this.deadlines.nanoTime();
			return this.deadlines.when(() -> mayPlanAgain(planned, refusedNanos), deadline, ended::outcome)
				.then(Mono.defer(() -> run(deadline, attempt, ended.sent())));
		});
	}

	/**
	 * Fails when {@value #RETRY_MILLIS} ms are over, or at a deadline before.
	 */
	<T> Mono<T> pause(Deadline deadline, Supplier<RuntimeException> failure) {
		long begunNanos = this.deadlines.nanoTime();
		return this.deadlines.when(() -> this.deadlines.nanoTime() - begunNanos >= RETRY_NANOS, deadline, failure)
			.then(Mono.error(failure));
	}

	/** Whether a request that was refused at an instant may be planned anew. */
	boolean mayPlanAgain(PreferenceLists before, long refusedNanos) {
		return !lists().equals(before) || this.deadlines.nanoTime() - refusedNanos >= RETRY_NANOS;
	}

	/**
	 * One attempt of a request.
	 *
	 * @param <T> answer to the request
	 */
	@FunctionalInterface
	interface Attempt<T> {

		/**
		 * Begins the attempt.
		 * @param lists replica sets to plan it by
		 * @param sent entry of the attempt before that may be held, {@code null} for none
		 */
		Mono<T> by(PreferenceLists lists, @Nullable Entry sent);

	}

}
