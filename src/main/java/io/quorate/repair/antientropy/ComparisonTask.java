package io.quorate.repair.antientropy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.repair.antientropy.ComparisonProgress.State;
import io.quorate.repair.comparison.ComparisonFailedException;
import io.quorate.repair.comparison.KeyRange;
import io.quorate.repair.comparison.Pass.Direction;
import io.quorate.repair.comparison.Pass;
import io.quorate.repair.comparison.PeerStore;
import io.quorate.repair.comparison.Scope;
import io.quorate.repair.rate.RateLimiter;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.comparison.ComparisonReply;
import io.quorate.replica.comparison.ComparisonResult;
import io.quorate.replica.comparison.ComparisonStart;
import io.quorate.replica.comparison.PeerComparison;
import io.quorate.replica.comparison.RangeHash;
import io.quorate.replica.comparison.Round;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.ScanPage.Item;
import io.quorate.storage.ScanPage;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A comparison with one peer that this node leads: of the whole stores over and over, or
 * of a requested range once. Used only by the thread that runs it, but for
 * {@link #progress}.
 */
final class ComparisonTask {

	/*
	 * Younger entries may still be in transit. A copy takes them all the same: the older
	 * entry that one of them has replaced at its source, and that was acknowledged, could
	 * not be copied any more, and the younger one may never reach this node.
	 */
	private static final Duration SETTLED = Duration.ofSeconds(5);

	private static final Duration FIRST_PAUSE = Duration.ofMillis(500);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

	/* After so many interruptions a requested comparison is given up. */
	private static final int MAX_FAILURES = 60;

	private final LocalSide own;

	private final ComparisonPeer peer;

	private final ComparisonOrder order;

	/* Kept, so that those of a peer that has left do not come back. */
	private final PeerMetrics metrics;

	private final RateLimiter rateLimiter;

	private final double timeShare;

	private final CompletableFuture<ComparisonStart> done = new CompletableFuture<>();

	private volatile State state = State.WAITING;

	private volatile @Nullable Running running;

	private volatile @Nullable Failure failure;

	private volatile long completedMillis;

	private volatile long keysBefore;

	private volatile long dueNanos;

	private volatile boolean isAbandoned;

	private int failures;

	/**
	 * A comparison that has not begun.
	 * @param peer peer whose meters exist
	 * @param rateLimiter rate of all comparisons of this direction that this node leads
	 * @param timeShare part of the time in which it may work
	 */
	ComparisonTask(LocalSide own, ComparisonPeer peer, ComparisonOrder order, RateLimiter rateLimiter, double timeShare,
			long dueNanos) {
		this.own = own;
		this.peer = peer;
		this.metrics = own.agreements().metrics().add(peer.id());
		this.order = order;
		this.rateLimiter = rateLimiter;
		this.timeShare = timeShare;
		this.dueNanos = dueNanos;
	}

	/**
	 * A round under way.
	 *
	 * @param layout version of the layout by which both nodes share what is compared
	 */
	private record Running(Round round, ComparisonStart ours, ComparisonStart theirs, Pass pass, Pacing pacing,
			long layout) {
	}

	String peerId() {
		return this.peer.id();
	}

	long dueNanos() {
		return this.dueNanos;
	}

	/** Makes it due now. */
	void hurry() {
		this.dueNanos = this.own.time().nanos();
	}

	/** Whether it is never run again. */
	boolean isOver() {
		return this.isAbandoned || this.state == State.COMPLETED || this.state == State.FAILED;
	}

	/**
	 * Gives it up: it is not run again, and if it runs, it ends within a page. By any
	 * thread.
	 */
	void abandon(String why) {
		this.isAbandoned = true;
		this.done.completeExceptionally(new ComparisonFailedException(new Failure(Reason.FAILED, why)));
	}

	/** Whether it was given up. */
	boolean isAbandoned() {
		return this.isAbandoned;
	}

	/**
	 * Completes with the start values of the peer when it is completed for the first
	 * time, fails when it is given up.
	 */
	CompletableFuture<ComparisonStart> done() {
		return this.done;
	}

	/**
	 * Runs until it is completed or interrupted, and sets the time at which it is due
	 * again.
	 */
	void run() {
		try {
			this.state = State.RUNNING;
			Running round = resumedOrBegun();
			this.running = round;
			this.failure = null;
			round.pass().run();
			complete(round);
			completed(round);
		}
		catch (ComparisonFailedException interruption) {
			interrupted(interruption.failure());
		}
	}

	/**
	 * Resumes the round under way, unless the peer does not know it any more, or another
	 * layout was adopted; else begins one.
	 */
	private Running resumedOrBegun() {
		Running before = this.running;
		if (before == null || this.completedMillis != 0 || isOfOtherLayout(before.layout())) {
			return begun();
		}
		if (before.pass().position() == null) {
			return before;
		}
		ComparisonStart theirs = begin(before.round(), before.ours());
		if (!theirs.equals(before.theirs())) {
			return begun();
		}
		this.own.agreements().begin(this.peer.id(), before.round(), before::ours, theirs);
		return before;
	}

	private void requireWanted(long layout) {
		if (this.isAbandoned) {
			throw Await.failed(Reason.FAILED, "the comparison is given up");
		}
		if (isOfOtherLayout(layout)) {
			throw Await.failed(Reason.STALE_LAYOUT,
					"the comparison began by version %d of the layout, and the node has adopted version %d"
						.formatted(layout, this.own.shared().version()));
		}
	}

	private boolean isOfOtherLayout(long version) {
		return version != this.own.shared().version();
	}

	private Running begun() {
		Timestamp now = this.own.agreements().clock().tryNow();
		if (now == null) {
			throw Await.failed(Reason.CLOCK_SKEW, "the clock gives no timestamps at present");
		}
		Round round = (this.order.direction() == Direction.FETCH) ? Round.ofCopy(now.hybrid())
				: new Round(now.hybrid(), Timestamp.hybridOfMillis(Math.max(0, now.millis() - SETTLED.toMillis())));
		this.own.secure();
		ComparisonStart ours = this.own.note();
		Running before = this.running;
		if (before != null && this.completedMillis != 0) {
			this.keysBefore = before.pacing().counts(0).keysCompared();
		}
		ComparisonStart theirs = begin(round, ours);
		this.own.agreements().begin(this.peer.id(), round, () -> ours, theirs);
		if (this.order.direction() == Direction.FETCH) {
			this.own.agreements().rounds().copies(round);
		}
		/*
		 * Only after the round has begun: else the one before it would be completed
		 * again.
		 */
		this.completedMillis = 0;
		Pacing.Limits limits = new Pacing.Limits(this.rateLimiter,
				new TimeShare(this.timeShare, this.own.time().nanos()), this.peer.latencyNanos(), this.own.time());
		SharedWithPeers.Shared shared = this.own.sharedWith(this.peer.id());
		Pacing pacing = new Pacing(limits, this.metrics, this.order.observer(), () -> requireWanted(shared.version()));
		this.order.observer().begun();
		Pass pass = new Pass(new Scope(shared.entries(), round), this.order.range(), this.order.direction(),
				this.own.store(round, shared, () -> Deadline.after(LocalSide.TIMEOUT)),
				new RemoteStore(this.peer.comparison(), round,
						LocalSide.deliveries(this.peer.replica().planned(shared.version()), round)),
				pacing);
		return new Running(round, ours, theirs, pass, pacing, shared.version());
	}

	private ComparisonStart begin(Round round, ComparisonStart ours) {
		Deadline deadline = Deadline.after(LocalSide.TIMEOUT);
		return Await.forAnswer(this.peer.comparison().begin(round, ours, deadline), deadline);
	}

	/*
	 * A comparison of a part of the stores, or in one direction, yields no agreement.
	 * Before either node records the end, all compared entries are on the disks of both:
	 * a second begin ensures that, and shows whether the peer still has the same data as
	 * at the first one. The leading node records the end first: if only the peer did,
	 * which then may purge, this node would look as if it had been away.
	 */
	private void complete(Running round) {
		requireWanted(round.layout());
		if (this.order.isOfAll()) {
			this.own.secure();
			if (!begin(round.round(), round.ours()).equals(round.theirs())) {
				throw new ComparisonFailedException(Rounds.staleRound(round.round().number()));
			}
			this.own.agreements().complete(this.peer.id(), round.round());
			Deadline deadline = Deadline.after(LocalSide.TIMEOUT);
			Await.forAnswer(this.peer.comparison().complete(round.round(), deadline), deadline);
		}
	}

	private void completed(Running round) {
		this.completedMillis = this.own.agreements().clock().currentMillis();
		this.failures = 0;
		if (this.order.isOfAll()) {
			this.metrics.completed();
		}
		this.state = this.order.isRequested() ? State.COMPLETED : State.WAITING;
		this.dueNanos = this.own.time().nanos() + this.order.interval().toNanos();
		this.done.complete(round.theirs());
	}

	private void interrupted(Failure why) {
		this.failure = why;
		this.failures++;
		this.metrics.interrupted();
		boolean givenUp = this.order.isRequested() && this.failures == MAX_FAILURES;
		this.state = givenUp ? State.FAILED : State.INTERRUPTED;
		if (givenUp) {
			this.done.completeExceptionally(new ComparisonFailedException(why));
		}
		if (why.reason() == Reason.STALE_ROUND) {
			this.running = null;
		}
		long pause = FIRST_PAUSE.toNanos() << Math.min(this.failures - 1, 10);
		this.dueNanos = this.own.time().nanos() + Math.min(pause, LONGEST_PAUSE.toNanos());
	}

	/** Interrupts it after an internal error. */
	void brokenOff(Throwable fault) {
		this.running = null;
		interrupted(new Failure(Reason.FAILED, String.valueOf(fault)));
	}

	/** Reason for its last interruption, or {@code null}. */
	@Nullable Failure failure() {
		return this.failure;
	}

	/** Progress of the comparison, for any thread. */
	ComparisonProgress progress() {
		Running now = this.running;
		Failure why = this.failure;
		KeyRange range = this.order.range();
		String reason = (why != null) ? "%s: %s".formatted(why.reason().word(), why.detail()) : null;
		ComparisonProgress.Subject subject = new ComparisonProgress.Subject(this.peer.id(), range,
				this.order.isRequested());
		return (now == null)
				? new ComparisonProgress(subject, this.state, ComparisonProgress.Times.NONE, null,
						ComparisonProgress.Counts.NONE, reason)
				: new ComparisonProgress(subject, this.state,
						new ComparisonProgress.Times(now.round().millis(), this.completedMillis), now.pass().position(),
						now.pacing().counts(this.keysBefore), reason);
	}

	/** The store of the other node of a round. */
	private static final class RemoteStore implements PeerStore {

		private final PeerComparison peer;

		private final Round round;

		private final Deliveries deliveries;

		RemoteStore(PeerComparison peer, Round round, Deliveries deliveries) {
			this.peer = peer;
			this.round = round;
			this.deliveries = deliveries;
		}

		@Override
		public ComparisonResult compare(List<RangeHash> ranges) {
			return answer((deadline) -> this.peer.compare(this.round, ranges, deadline));
		}

		@Override
		public HeaderPage headers(Key start, @Nullable Key end) {
			return answer((deadline) -> this.peer.headers(this.round, start, end, deadline));
		}

		@Override
		public ScanPage fetch(List<Key> keys) {
			return answer((deadline) -> this.peer.fetch(this.round, keys, deadline));
		}

		@Override
		public void apply(List<Item> entries) {
			this.deliveries.deliver(entries);
		}

		private <T> T answer(Function<Deadline, Mono<ComparisonReply<T>>> question) {
			Deadline deadline = Deadline.after(this.deliveries.timeout());
			return Await.forAnswer(question.apply(deadline), Deadline.after(this.deliveries.timeout().plusSeconds(1)));
		}

	}

}
