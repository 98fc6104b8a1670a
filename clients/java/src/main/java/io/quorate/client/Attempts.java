package io.quorate.client;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * The attempts of one call, and the error in which they end. A call asks each node once,
 * beginning with the preferred one, and after a pause the first one again: a single node,
 * or a load balancer before many, has a second chance. The options may allow fewer.
 */
final class Attempts {

	private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(100);

	private final Nodes nodes;

	private final Deadline deadline;

	private final boolean repeatsUnknown;

	/* Whether the last attempt goes to the first node again. */
	private final boolean comesBack;

	private final Deque<String> left;

	private final List<FailedAttempt> failures = new ArrayList<>();

	private String node;

	private @Nullable Exception last;

	/* What a node has said. A proxy without a node, 5xx, says less. */
	private @Nullable QuorateException answer;

	private @Nullable Exception unknown;

	private boolean isSettled;

	private boolean wasRepeated;

	private @Nullable Duration retryAfter;

	Attempts(Nodes nodes, Deadline deadline, CallOptions options) {
		this.nodes = nodes;
		this.deadline = deadline;
		this.repeatsUnknown = options.repeatsUnknown();
		this.left = new ArrayDeque<>(nodes.order());
		this.node = this.left.getFirst();
		Integer most = options.attempts();
		this.comesBack = most == null || most > this.left.size();
		if (this.comesBack) {
			this.left.addLast(this.node);
		}
		while (most != null && this.left.size() > most) {
			this.left.removeLast();
		}
	}

	/** Notes what is not known of a write from its earlier attempts. */
	void doubt(Doubt doubt) {
		this.unknown = doubt.unknown();
		this.isSettled = doubt.isSettled();
	}

	/** Returns the node of the present attempt. */
	String node() {
		return this.node;
	}

	/**
	 * Chooses the next node.
	 * @return the nanoseconds to wait before
	 * @throws QuorateException if there is no node, or no time
	 */
	long next() {
		if (this.left.isEmpty() || this.deadline.isOver()) {
			throw end(null);
		}
		long pause = pause();
		if (pause > 0 && pause >= this.deadline.left()) {
			throw end(null);
		}
		this.node = this.left.removeFirst();
		return pause;
	}

	private long pause() {
		long random = ThreadLocalRandom.current().nextLong(PAUSE, 2 * PAUSE);
		// Writes that have met are not to meet again.
		if (this.last instanceof ContendedException) {
			return random;
		}
		if (this.failures.isEmpty() || !this.comesBack || this.left.size() > 1) {
			return 0;
		}
		return (this.retryAfter != null) ? this.retryAfter.toNanos() : random;
	}

	void succeeded() {
		this.nodes.prefer(this.node);
	}

	/**
	 * Notes a failed attempt.
	 * @throws QuorateException if no other attempt may follow
	 */
	void failed(Exception failure, Effect effect) {
		Verdict verdict = Verdict.of(failure, effect.isWrite());
		this.failures.add(FailedAttempt.of(this.node, failure));
		this.last = failure;
		if (failure instanceof TransportException transport) {
			if (transport.isOfNode()) {
				this.nodes.leave(this.node);
			}
		}
		else if (failure instanceof QuorateException error
				&& !(error instanceof InvalidAnswerException invalid && invalid.status() >= 500)) {
			this.answer = error;
			error.problem().map(Problem::retryAfter).ifPresent((pause) -> this.retryAfter = pause);
		}
		if (this.unknown != null) {
			this.wasRepeated |= wasSent(failure);
		}
		if (failure instanceof PreconditionFailedException) {
			// Where nothing was unknown, no node can have forgotten that it was done.
			if (this.unknown != null) {
				boolean isCertain = effect == Effect.ONCE_ON_VERSIONS || this.isSettled;
				boolean isDenied = verdict == Verdict.FINAL && isCertain;
				this.unknown = isDenied ? null : failure;
			}
			verdict = Verdict.FINAL;
		}
		if (verdict == Verdict.UNKNOWN) {
			this.unknown = failure;
			this.isSettled = false;
			if (!this.repeatsUnknown && !effect.isOnce()) {
				throw end(null);
			}
		}
		if (verdict == Verdict.FINAL) {
			if (failure instanceof QuorateException error && error.problem().isPresent()) {
				this.nodes.prefer(this.node);
			}
			throw end((QuorateException) failure);
		}
	}

	private static boolean wasSent(Exception failure) {
		if (failure instanceof TransportException transport) {
			return transport.wasSent();
		}
		return !(failure instanceof TokenException || failure instanceof TooManyCallsException);
	}

	private QuorateException end(@Nullable QuorateException last) {
		QuorateException error = error(last);
		error.haveFailures(this.failures);
		return error;
	}

	private QuorateException error(@Nullable QuorateException refusal) {
		String all = this.failures.stream().map(FailedAttempt::toString).collect(Collectors.joining("; "));
		if (this.unknown != null) {
			Problem problem = (this.unknown instanceof QuorateException error) ? error.problem().orElse(null) : null;
			return new OutcomeUnknownException(all, this.wasRepeated, problem, this.unknown);
		}
		if (refusal != null) {
			return refusal;
		}
		if (this.deadline.isOver()) {
			return new DeadlineExceededException(
					"the deadline has passed: " + (all.isEmpty() ? "no node was asked" : all), this.last);
		}
		if (this.answer != null) {
			return this.answer;
		}
		return new NoNodeAnsweredException(all, this.last);
	}

	/**
	 * Returns the error of a call that ends without another attempt.
	 * @param reason the reason of the end
	 * @param wasSent whether a node may have the present request, a write
	 */
	QuorateException abandoned(UnavailableException reason, boolean wasSent) {
		QuorateException error = reason;
		if (wasSent || this.unknown != null) {
			error = new OutcomeUnknownException(Answers.message(reason), this.wasRepeated, null, reason);
		}
		error.haveFailures(this.failures);
		return error;
	}

	/** The consequence of a failed attempt. */
	private enum Verdict {

		/** Nothing was done, and the next node may do it. */
		NEXT,

		/** A write may have happened or not. */
		UNKNOWN,

		/** Nothing was done, and no other node would do it. */
		FINAL;

		static Verdict of(Exception failure, boolean isWrite) {
			if (failure instanceof TransportException transport) {
				return (isWrite && transport.wasSent()) ? UNKNOWN : NEXT;
			}
			if (failure instanceof InvalidAnswerException invalid) {
				// A proxy may say 502 or 503 of a request that has reached a node. With
				// 3xx and 4xx it has not passed it on.
				if (isWrite) {
					return (invalid.status() >= 300 && invalid.status() < 500) ? FINAL : UNKNOWN;
				}
				return NEXT;
			}
			if (failure instanceof IncompleteRangeException) {
				return NEXT;
			}
			if (failure instanceof AnswerTooLargeException && isWrite) {
				return UNKNOWN;
			}
			if (failure instanceof ContendedException) {
				return NEXT;
			}
			return ((QuorateException) failure).problem().map((problem) -> of(problem, isWrite)).orElse(FINAL);
		}

		private static Verdict of(Problem problem, boolean isWrite) {
			if (isWrite && Problems.leavesOutcomeUnknown(problem)) {
				return UNKNOWN;
			}
			return (problem.status() >= 500 && problem.status() != 501) ? NEXT : FINAL;
		}

	}

	/**
	 * The doubt about a write whose earlier attempts had no certain outcome.
	 *
	 * @param unknown the error of these
	 * @param isSettled whether a linearizable read has ended since
	 */
	record Doubt(QuorateException unknown, boolean isSettled) {
	}

}
