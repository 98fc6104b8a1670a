package io.quorate.repair.antientropy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

import io.quorate.clock.Deadline;
import io.quorate.entry.Key;
import io.quorate.repair.comparison.ComparisonAnswers;
import io.quorate.repair.comparison.ComparisonFailedException;
import io.quorate.repair.comparison.Scope;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.comparison.ComparisonReply;
import io.quorate.replica.comparison.ComparisonResult;
import io.quorate.replica.comparison.ComparisonService;
import io.quorate.replica.comparison.ComparisonStart;
import io.quorate.replica.comparison.PeerComparison;
import io.quorate.replica.comparison.RangeHash;
import io.quorate.replica.comparison.Round;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.ScanPage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * Answers the peers that compare their stores with this node's. No more than
 * {@value #AT_ONCE} questions are in work at once, on threads of their own; further ones
 * are refused as overload, and peers ask them again later. A question whose deadline
 * passes is given up. Keeps of a peer only its open {@link Rounds} and the time of its
 * last question.
 */
public final class ComparisonResponder implements ComparisonService, AutoCloseable {

	/** Questions in work at once. */
	static final int AT_ONCE = 2;

	private static final Logger log = LoggerFactory.getLogger(ComparisonResponder.class);

	private static final Duration FAREWELL = Duration.ofSeconds(5);

	/*
	 * A peer that asks nothing for so long was interrupted, or has completed its
	 * comparison.
	 */
	private static final Duration STILL_ASKING = Duration.ofSeconds(30);

	private final LocalSide own;

	/* Time of each peer's last question, until the peer is done. */
	private final Map<String, Long> asked = new ConcurrentHashMap<>();

	private final Semaphore places = new Semaphore(AT_ONCE);

	/* A question waits in its queue only for a thread that has just answered another. */
	private final ThreadPoolExecutor executor;

	ComparisonResponder(LocalSide own) {
		this(own, Thread.ofPlatform().daemon().name("comparison-", 0).factory());
	}

	ComparisonResponder(LocalSide own, ThreadFactory threads) {
		this.own = own;
		this.executor = new ThreadPoolExecutor(AT_ONCE, AT_ONCE, 10, TimeUnit.SECONDS,
				new ArrayBlockingQueue<>(AT_ONCE), threads);
		this.executor.allowCoreThreadTimeOut(true);
	}

	@Override
	public PeerComparison with(String peer) {
		return new ToPeer(peer);
	}

	/**
	 * Whether a peer leads a comparison with this node at present, as far as this node
	 * can see: the peer has asked a question in the last half minute, and has not
	 * completed its comparison.
	 */
	public boolean isAskedBy(String peer) {
		Long last = this.asked.get(peer);
		return last != null && this.own.time().nanos() - last < STILL_ASKING.toNanos();
	}

	/**
	 * Refuses new questions. Waits some seconds for those in work, which end at their
	 * deadlines.
	 */
	@Override
	public void close() {
		this.executor.shutdown();
		try {
			if (!this.executor.awaitTermination(FAREWELL.toMillis(), TimeUnit.MILLISECONDS)) {
				log.warn("{} questions of peers about the store are still in work", this.executor.getActiveCount());
			}
		}
		catch (InterruptedException hurry) {
			Thread.currentThread().interrupt();
		}
	}

	private final class ToPeer implements PeerComparison {

		private final String peer;

		private ToPeer(String peer) {
			this.peer = peer;
		}

		@Override
		public String nodeId() {
			return ComparisonResponder.this.own.self();
		}

		@Override
		public Mono<ComparisonReply<ComparisonStart>> begin(Round round, ComparisonStart ours, Deadline deadline) {
			goesOn();
			return answered(deadline, () -> ComparisonResponder.this.own.begin(this.peer, round, ours).ours());
		}

		@Override
		public Mono<ComparisonReply<ComparisonResult>> compare(Round round, List<RangeHash> ranges, Deadline deadline) {
			goesOn();
			return answered(deadline, () -> comparisonAnswers(round, deadline).compare(ranges));
		}

		@Override
		public Mono<ComparisonReply<HeaderPage>> headers(Round round, Key start, @Nullable Key end, Deadline deadline) {
			goesOn();
			return answered(deadline, () -> comparisonAnswers(round, deadline).headers(start, end));
		}

		@Override
		public Mono<ComparisonReply<ScanPage>> fetch(Round round, List<Key> keys, Deadline deadline) {
			goesOn();
			return answered(deadline, () -> comparisonAnswers(round, deadline).fetch(keys));
		}

		@Override
		public Mono<ComparisonReply<Round>> complete(Round round, Deadline deadline) {
			ComparisonResponder.this.asked.remove(this.peer);
			return answered(deadline,
					() -> ComparisonResponder.this.own.agreements().complete(this.peer, round).round());
		}

		private void goesOn() {
			ComparisonResponder.this.asked.put(this.peer, ComparisonResponder.this.own.time().nanos());
		}

		private ComparisonAnswers comparisonAnswers(Round round, Deadline deadline) {
			LocalSide own = ComparisonResponder.this.own;
			SharedWithPeers.Shared shared = own.sharedWith(this.peer);
			return new ComparisonAnswers(new Scope(shared.entries(), round),
					own.store(round, shared, () -> unlessPassed(deadline)));
		}

		private Deadline unlessPassed(Deadline deadline) {
			if (deadline.isExpired()) {
				throw Await.failed(Reason.TIMEOUT, "the deadline has passed");
			}
			return deadline;
		}

	}

	private <T> Mono<ComparisonReply<T>> answered(Deadline deadline, Supplier<T> work) {
		if (!this.places.tryAcquire()) {
			return Mono.just(failed(new Failure(Reason.OVERLOADED,
					"%d questions about the store in work, the limit".formatted(AT_ONCE))));
		}
		CompletableFuture<ComparisonReply<T>> reply = new CompletableFuture<>();
		try {
			this.executor.execute(() -> reply.complete(answer(deadline, work)));
		}
		catch (RejectedExecutionException closed) {
			this.places.release();
			reply.complete(failed(new Failure(Reason.DRAINING, "this node stops")));
		}
		catch (OutOfMemoryError noThread) {
			this.places.release();
			reply.complete(failed(new Failure(Reason.OVERLOADED, "no thread can be started")));
		}
		return Mono.fromFuture(reply, true);
	}

	/* A peer that has its answer finds the place free. */
	private <T> ComparisonReply<T> answer(Deadline deadline, Supplier<T> work) {
		try {
			return deadline.isExpired() ? failed(new Failure(Reason.TIMEOUT, "late"))
					: outcome(work, ComparisonReply.Answer::new);
		}
		finally {
			this.places.release();
		}
	}

	private static <T> ComparisonReply<T> outcome(Supplier<T> work, Function<T, ComparisonReply<T>> answer) {
		try {
			return answer.apply(work.get());
		}
		catch (ComparisonFailedException failure) {
			return failed(failure.failure());
		}
		catch (RuntimeException | Error fault) {
			log.error("Internal error in a comparison", fault);
			return failed(new Failure(Reason.FAILED, String.valueOf(fault.getMessage())));
		}
	}

	private static <T> ComparisonReply<T> failed(Failure failure) {
		return new ComparisonReply.Failed<>(failure);
	}

}
