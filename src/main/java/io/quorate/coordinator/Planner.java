package io.quorate.coordinator;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.quorate.clock.Deadline;
import io.quorate.coordinator.LayoutMismatchException.Sent;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Plans requests by the current layout, and plans a request anew that replicas have
 * refused because they have adopted another one. Before that it waits until this node has
 * adopted another layout, too, or for {@value #RETRY_MILLIS} ms, in which a replica may
 * have caught up, and for twice as long each further time.
 */
final class Planner {

	static final int RETRY_MILLIS = 50;

	static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(RETRY_MILLIS);

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
	 * last one. Plans when subscribed.
	 */
	<T> Mono<T> run(Deadline deadline, Attempt<T> attempt) {
		return Mono.defer(() -> run(deadline, attempt, null, RETRY_NANOS));
	}

	private <T> Mono<T> run(Deadline deadline, Attempt<T> attempt, @Nullable Sent sent, long retryNanos) {
		PreferenceLists planned = lists();
		return attempt.by(planned, sent).onErrorResume(LayoutMismatchException.class, (ended) -> {
			this.metrics.plannedAnew();
			long refusedNanos = this.deadlines.nanoTime();
			return this.deadlines
				.when(() -> isOvertaken(planned) || this.deadlines.nanoTime() - refusedNanos >= retryNanos, deadline,
						ended::outcome)
				.then(Mono.defer(() -> run(deadline, attempt, ended.sent(), 2 * retryNanos)));
		});
	}

	/** Whether this node has adopted another layout than that of these replica sets. */
	boolean isOvertaken(PreferenceLists planned) {
		return !lists().equals(planned);
	}

	/**
	 * Fails when {@value #RETRY_MILLIS} ms are over, or at a deadline before.
	 */
	<T> Mono<T> pause(Deadline deadline, Supplier<RuntimeException> failure) {
		long begunNanos = this.deadlines.nanoTime();
		return this.deadlines.when(() -> this.deadlines.nanoTime() - begunNanos >= RETRY_NANOS, deadline, failure)
			.then(Mono.error(failure));
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
		Mono<T> by(PreferenceLists lists, @Nullable Sent sent);

	}

}
