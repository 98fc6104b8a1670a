package io.quorate.coordinator;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.quorate.clock.Timestamp;
import io.quorate.clock.TrueTime;
import io.quorate.coordinator.RefusedException.Why;
import io.quorate.coordinator.RegisterRequest.Settled;
import io.quorate.entry.Condition;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * The writes of registers that meet at this node: of each key one at a time, in the order
 * of their arrival. What a round has found decides at once about all that had waited when
 * it began and whose condition fails by it: their answer is true of an instant within
 * their time. So a hundred clients that would replace one version cost one round.
 * <p>
 * At most {@value #MOST_OF_A_KEY} requests wait for a key; bytes are bounded by their
 * admission. A request that waits ends at its deadline. Safe for any number of threads.
 */
final class RegisterQueue {

	static final int MOST_OF_A_KEY = 1024;

	private final RequestServices services;

	private final Map<Key, Line> lines = new ConcurrentHashMap<>();

	RegisterQueue(RequestServices services) {
		this.services = services;
	}

	/** The requests for one key; guarded by itself, and gone with the last of them. */
	private static final class Line {

		private final Deque<Waiting> waiting = new ArrayDeque<>();

		/* Requests that have ended since one went on to the next. */
		private final AtomicInteger ended = new AtomicInteger();

		private void leaveOutEnded() {
			this.waiting.removeIf((each) -> each.isTaken.get());
		}

	}

	private static final class Waiting {

		private final RegisterTerms terms;

		private final Sinks.One<Settled> outcome = Sinks.one();

		/* Whether it is under way, or has ended. */
		private final AtomicBoolean isTaken = new AtomicBoolean();

		private Waiting(RegisterTerms terms) {
			this.terms = terms;
		}

		/** Ends it unless it is under way; the permit of a write has no other user. */
		private void end(RuntimeException failure) {
			if (this.isTaken.compareAndSet(false, true)) {
				if (this.terms.isWrite()) {
					this.terms.requestContext().permit().close();
				}
				this.outcome.tryEmitError(failure);
			}
		}

		/** Ends a read by what another request has settled, unless it is under way. */
		private void end(Settled settled) {
			if (this.isTaken.compareAndSet(false, true)) {
				this.outcome.tryEmitValue(settled);
			}
		}

	}

	/** Runs a request when its turn comes. Starts when subscribed. */
	Mono<Settled> run(RegisterTerms terms) {
		return Mono.defer(() -> {
			Waiting its = new Waiting(terms);
			Turn turn = enqueue(its);
			if (turn == Turn.FULL) {
				its.end(new RefusedException(Why.REQUESTS,
						"%d conditional requests for the key wait already".formatted(MOST_OF_A_KEY)));
			}
			else if (turn == Turn.NOW) {
				begin(its, List.of());
			}
			else {
				endAtDeadline(its);
			}
			return its.outcome.asMono();
		});
	}

	private enum Turn {

		NOW, LATER, FULL

	}

	private Turn enqueue(Waiting its) {
		Turn[] turn = { Turn.LATER };
		this.lines.compute(its.terms.key(), (_, line) -> {
			if (line == null) {
				turn[0] = Turn.NOW;
				return new Line();
			}
			if (line.waiting.size() >= MOST_OF_A_KEY) {
				line.leaveOutEnded();
			}
			if (line.waiting.size() >= MOST_OF_A_KEY) {
				turn[0] = Turn.FULL;
			}
			else {
				line.waiting.add(its);
			}
			return line;
		});
		return turn[0];
	}

	private void endAtDeadline(Waiting its) {
		this.services.deadlines()
			.when(its.isTaken::get, its.terms.deadline(), () -> ended(its.terms))
			.subscribe((_) -> {
			}, (failure) -> its.end((RuntimeException) failure));
	}

	private static RuntimeException ended(RegisterTerms terms) {
		return terms.isWrite() ? new ContendedException(0) : new QuorumNotReachedException(1, 0, false, List.of());
	}

	/**
	 * Begins a request.
	 * @param before those that wait since before it began
	 */
	private void begin(Waiting its, List<Waiting> before) {
		if (!its.isTaken.compareAndSet(false, true)) {
			next(its.terms.key());
			return;
		}
		RegisterRequest.of(this.services, its.terms).subscribe((settled) -> {
			its.outcome.tryEmitValue(settled);
			before.stream().filter((each) -> !each.terms.isWrite()).forEach((each) -> each.end(settled));
			over(its.terms.key(), before, settled.entry());
		}, (failure) -> {
			its.outcome.tryEmitError(failure);
			if (failure instanceof ConditionFailedException unmet) {
				end(before, unmet.current(), unmet.absent());
			}
			next(its.terms.key());
		});
	}

	private void over(Key key, List<Waiting> before, Entry held) {
		long now = this.services.clusterView().trueMillis();
		boolean isJudged = held.expiryMillis() == Entry.NEVER || (now != TrueTime.UNKNOWN && !held.isAbsentAt(now));
		if (isJudged) {
			Timestamp version = held.version().equals(Timestamp.ZERO) ? null : held.version();
			end(before, held.isTombstone() ? null : version, held.isTombstone() ? version : null);
		}
		next(key);
	}

	/** Ends those whose condition fails by what a round has found. */
	private static void end(List<Waiting> before, @Nullable Timestamp current, @Nullable Timestamp absent) {
		for (Waiting each : before) {
			Condition condition = each.terms.condition();
			// What its client may repeat has to be looked up first.
			if (condition.once() == null && !condition.isMetBy(current)) {
				each.end(new ConditionFailedException(current, absent));
			}
		}
	}

	/*
	 * A request may end before the call that begins it returns: then the loop goes on,
	 * not the stack.
	 */
	private void next(Key key) {
		Line line = this.lines.get(key);
		if (line == null || line.ended.getAndIncrement() > 0) {
			return;
		}
		do {
			turn(key);
		}
		while (line.ended.decrementAndGet() > 0);
	}

	private void turn(Key key) {
		List<Waiting> before = new ArrayList<>();
		Waiting[] next = { null };
		this.lines.computeIfPresent(key, (_, line) -> {
			line.leaveOutEnded();
			next[0] = line.waiting.poll();
			before.addAll(line.waiting);
			return (next[0] != null) ? line : null;
		});
		if (next[0] != null) {
			begin(next[0], before);
		}
	}

	/** Number of keys with a request under way. */
	int keys() {
		return this.lines.size();
	}

}
