package io.quorate.membership.exchange;

import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.quorate.consensus.Answer;
import io.quorate.consensus.ConflictingDecreeException;
import io.quorate.consensus.Decisions;
import io.quorate.consensus.Request;
import io.quorate.entry.Key;
import io.quorate.membership.agreement.LayoutAgreement;
import io.quorate.membership.agreement.LayoutPeers;
import io.quorate.membership.agreement.LayoutProposals;
import io.quorate.membership.layout.ChangeRequest;
import io.quorate.membership.layout.LayoutReport;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.membership.layout.Moved;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.Membership;
import io.quorate.membership.reports.MemberProcesses;
import io.quorate.membership.reports.MemberReports;
import io.quorate.replica.Failure;
import io.quorate.replica.LayoutFence;
import io.quorate.replica.WritesUnderWay;
import io.quorate.storage.StoreStatus;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread on which this node takes part in the decisions about the layout: it waits
 * for the disk, so that event loops do not. Its queue is bounded: requests of peers
 * beyond a limit are refused, and of each other kind of work one waits at the most, apart
 * from the answers to its own few requests.
 */
public final class LayoutThread implements LayoutExchange, LayoutProgress, LayoutProposals {

	private static final Logger log = LoggerFactory.getLogger(LayoutThread.class);

	private static final int MOST_WAITING = 64;

	/* Of a node that knows none: earlier than any. */
	private static final LayoutVersion NO_LAYOUT = new LayoutVersion(0, 0);

	private static final long PERIOD_MILLIS = 1000;

	private static final long STOP_MILLIS = 2000;

	private static final long LOOK_AGAIN_MILLIS = 10;

	/* A decision has its own, shorter limit; the thread may be stopped meanwhile. */
	private static final long PROPOSAL_SECONDS = 30;

	private final Layouts layouts;

	private final LayoutAgreement agreement;

	private final MemberReports reports;

	private final LayoutFence fence;

	private final ScheduledExecutorService executor;

	private final Semaphore room = new Semaphore(MOST_WAITING);

	private final AtomicBoolean catchesUp = new AtomicBoolean();

	private final AtomicBoolean compares = new AtomicBoolean();

	private final AtomicBoolean isExcluded = new AtomicBoolean();

	private final OwnStore store;

	private volatile @Nullable LayoutPeers peers;

	private volatile Moved moved = Moved.NONE;

	/* Whether the thread looks again when the wait for peers is over; of the thread. */
	private boolean isToLookAgain;

	/*
	 * Version of the layout whose barrier was begun last, 0 if it is to be begun again;
	 * of the thread.
	 */
	private long barrierOf;

	/* The barrier that the thread waits for, until it has passed; of the thread. */
	private WritesUnderWay.@Nullable Barrier barrier;

	/* Whether the thread looks at the barrier again; of the thread. */
	private boolean isToLookAtBarrier;

	/** The store of this node, and the writes that the node has let in. */
	interface OwnStore {

		/** A barrier that passes when all writes of before have an outcome. */
		WritesUnderWay.Barrier barrier();

		/** Completes when all writes that have an outcome are on the disk. */
		CompletableFuture<Void> onDisk();

		/** The present state of the store; does not wait. */
		StoreStatus status();

	}

	/** A thread that is not started yet. It answers peers, and asks none. */
	LayoutThread(Layouts layouts, LayoutAgreement agreement, MemberReports reports, LayoutFence fence, OwnStore store) {
		this(layouts, agreement, reports, fence, store, ownThread());
	}

	/**
	 * As above, on another thread.
	 * @param executor runs one task at a time
	 */
	LayoutThread(Layouts layouts, LayoutAgreement agreement, MemberReports reports, LayoutFence fence, OwnStore store,
			ScheduledExecutorService executor) {
		this.store = store;
		this.barrierOf = agreement.adopted().version();
		this.layouts = layouts;
		this.agreement = agreement;
		this.reports = reports;
		this.fence = fence;
		this.executor = executor;
		measure();
	}

	private static ScheduledExecutorService ownThread() {
		ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1,
				Thread.ofPlatform().daemon().name("layout").factory());
		thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
		return thread;
	}

	private void measure() {
		this.reports.measured(this.store.status(), this.moved);
	}

	/**
	 * Begins to ask peers for later layouts, when they report one.
	 * @param all peers, whose outcomes may come on any thread
	 */
	public void ask(LayoutPeers all) {
		this.peers = (member, request, limit, outcome) -> all.ask(member, request, limit,
				(its) -> run(() -> outcome.accept(its)));
	}

	/** Begins to propose to the peers that it may ask. */
	public void start() {
		LayoutPeers asked = Objects.requireNonNull(this.peers);
		Membership membership = this.reports.membership();
		membership.onReached((peer) -> {
			if (this.agreement.joining().isAwaited(peer)) {
				run(this.agreement::adoptLatest);
			}
		});
		run(() -> this.agreement.joining().begin(membership::isReached, membership::hasMetMajority));
		var _ = this.executor.scheduleWithFixedDelay(() -> safely(() -> {
			measure();
			this.agreement.tick(asked);
		}), PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
	}

	/**
	 * Waits until the layouts that peers have shown, or reported, to this node are
	 * adopted, or a bounded time is over. A node that served clients before would
	 * acknowledge by itself what it is to hold no more.
	 */
	public void awaitLearned() {
		CompletableFuture<Void> learned = new CompletableFuture<>();
		run(() -> completeWhenLearned(learned));
		try {
			learned.get(STOP_MILLIS, TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException stopped) {
			Thread.currentThread().interrupt();
		}
		catch (TimeoutException slow) {
			log.warn("The layouts that peers have shown are not adopted after {} ms", STOP_MILLIS);
		}
		catch (ExecutionException failed) {
			log.warn("The layouts that peers have shown are not adopted", failed);
		}
		learned.cancel(false);
	}

	private void completeWhenLearned(CompletableFuture<Void> learned) {
		if (!this.reports.isBehind()) {
			learned.complete(null);
		}
		else if (!learned.isDone()) {
			later(LOOK_AGAIN_MILLIS, () -> completeWhenLearned(learned));
		}
	}

	/** Does what waits, and ends; waits for that for a bounded time. */
	public void stop() {
		this.executor.shutdown();
		try {
			if (!this.executor.awaitTermination(STOP_MILLIS, TimeUnit.MILLISECONDS)) {
				log.warn("A vote about the layout is not durable after {} ms", STOP_MILLIS);
			}
		}
		catch (InterruptedException stopped) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public @Nullable LayoutReport own() {
		return this.reports.takesPart() ? this.agreement.report().with(this.reports.dataOf(this.layouts.self())) : null;
	}

	@Override
	public boolean isMember() {
		return this.layouts.isMember();
	}

	@Override
	public MemberProcesses processes() {
		return this.reports.processes();
	}

	@Override
	public long version() {
		return this.layouts.current().version();
	}

	@Override
	public void heard(String peer, LayoutReport theirs) {
		// A candidate is heard again when it is a member. This one asks a seed itself.
		if (!this.layouts.current().hasMember(peer)) {
			if (theirs.adopted().version() > this.agreement.adopted().version() && this.layouts.isSeed(peer)) {
				differs(peer);
			}
			return;
		}
		this.reports.heard(peer, theirs);
		LayoutPeers asked = this.peers;
		if (asked != null && theirs.adopted().version() > this.agreement.adopted().version()) {
			runOnce(this.catchesUp, () -> this.agreement.catchUp(asked));
		}
	}

	@Override
	public void differs(String peer) {
		LayoutPeers asked = this.peers;
		if (asked != null) {
			runOnce(this.compares, () -> this.agreement.compareWith(peer, asked));
		}
	}

	@Override
	public @Nullable Decisions later(LayoutVersion theirs) {
		return this.agreement.later(theirs);
	}

	@Override
	public @Nullable Decisions laterThanFirst(String node) {
		return this.layouts.configured().hasMember(node) ? this.agreement.later(NO_LAYOUT) : null;
	}

	/* Also before the thread is started: no member need be asked. */
	@Override
	public void excludedBy(String peer, Decisions later) {
		if (later.latest().version() > this.agreement.adopted().version()) {
			runOnce(this.isExcluded, () -> this.agreement.learned(later));
		}
	}

	/* On the thread: what this node decides may reach the node that joins first. */
	@Override
	public void refused(String stranger, LayoutVersion theirs) {
		if (this.layouts.isFirstAlone() && theirs.version() > this.layouts.fence()) {
			run(() -> {
				String why = this.layouts.overtakenBy(stranger, theirs);
				if (why != null) {
					log.error("{}", why);
				}
			});
		}
	}

	@Override
	public Optional<Duration> silenceOf(String member) {
		return this.reports.silenceOf(member);
	}

	@Override
	public CompletableFuture<LayoutVersion> propose(ChangeRequest change, long version, String by) {
		LayoutPeers asked = this.peers;
		CompletableFuture<LayoutVersion> decided = new CompletableFuture<>();
		if (asked == null || this.executor.isShutdown()) {
			decided.completeExceptionally(new RejectedExecutionException("this node starts or stops"));
			return decided;
		}
		run(() -> {
			var _ = this.agreement.change(change, version, by, asked).whenComplete((layout, failure) -> {
				if (failure != null) {
					decided.completeExceptionally(failure);
				}
				else {
					decided.complete(layout);
				}
			});
		});
		return decided.orTimeout(PROPOSAL_SECONDS, TimeUnit.SECONDS);
	}

	@Override
	public void copied(long version) {
		run(() -> this.agreement.copied(version));
	}

	@Override
	public void moved(Moved its) {
		this.moved = its;
		measure();
	}

	@Override
	public @Nullable Failure refuses(long layout, @Nullable Key written) {
		return this.fence.refuses(layout, written);
	}

	@Override
	public CompletableFuture<Optional<Answer>> answer(Request request) {
		if (!this.room.tryAcquire()) {
			return CompletableFuture.failedFuture(new RejectedExecutionException(
					"%d requests about the layout wait for the disk".formatted(MOST_WAITING)));
		}
		CompletableFuture<Optional<Answer>> answer = new CompletableFuture<>();
		try {
			this.executor.execute(() -> {
				this.room.release();
				complete(answer, request);
			});
		}
		catch (RuntimeException | Error notTaken) {
			this.room.release();
			answer.completeExceptionally(notTaken);
		}
		return answer;
	}

	private void complete(CompletableFuture<Optional<Answer>> answer, Request request) {
		try {
			answer.complete(this.agreement.answer(request));
			goOn();
		}
		catch (IOException | ConflictingDecreeException failed) {
			answer.completeExceptionally(failed);
		}
		catch (RuntimeException bug) {
			log.error("Bug: a request about the layout has failed", bug);
			answer.completeExceptionally(bug);
		}
	}

	/* After the stop nothing is of use any more. */
	private void run(Runnable work) {
		if (!this.executor.isShutdown()) {
			try {
				this.executor.execute(() -> safely(work));
			}
			catch (RejectedExecutionException stopped) {
				log.debug("The thread of the layout has stopped", stopped);
			}
		}
	}

	/* Of one kind of work, one waits at the most. */
	private void runOnce(AtomicBoolean waits, Runnable work) {
		if (waits.compareAndSet(false, true)) {
			try {
				run(() -> {
					waits.set(false);
					work.run();
				});
			}
			catch (RuntimeException | Error notTaken) {
				waits.set(false);
				throw notTaken;
			}
		}
	}

	/* The next period goes on with what is durable. */
	private void safely(Runnable work) {
		try {
			work.run();
			goOn();
		}
		catch (RuntimeException | Error bug) {
			log.error("Bug: a step of the decisions about the layout has failed", bug);
		}
	}

	private void goOn() {
		settle();
		Duration remaining = this.agreement.joining().remaining();
		if (remaining != null && !this.isToLookAgain) {
			later(remaining.toMillis() + 1, () -> {
				this.isToLookAgain = false;
				this.agreement.adoptLatest();
			});
			this.isToLookAgain = true;
		}
	}

	/**
	 * Reports a layout that was adopted once the writes that were let in before are on
	 * the disk: a node that copies from this one afterwards must not miss one of them.
	 */
	private void settle() {
		long adopted = this.agreement.adopted().version();
		if (adopted != this.barrierOf) {
			this.barrier = this.store.barrier();
			this.barrierOf = adopted;
		}
		WritesUnderWay.Barrier awaited = this.barrier;
		if (awaited == null) {
			return;
		}
		if (awaited.isPassed()) {
			var _ = this.store.onDisk().whenComplete((_, failure) -> run(() -> onDisk(adopted, failure)));
			this.barrier = null;
		}
		else if (!this.isToLookAtBarrier) {
			later(LOOK_AGAIN_MILLIS, () -> this.isToLookAtBarrier = false);
			this.isToLookAtBarrier = true;
		}
	}

	private void onDisk(long version, @Nullable Throwable failure) {
		if (failure == null) {
			this.agreement.settled(version);
		}
		else if (version == this.barrierOf) {
			log.warn("Version {} of the layout is not reported as adopted: writes from before are not on the disk, {}",
					version, failure.toString());
			later(PERIOD_MILLIS, () -> {
				if (version == this.barrierOf) {
					this.barrierOf = NO_LAYOUT.version();
				}
			});
		}
	}

	private void later(long millis, Runnable work) {
		if (!this.executor.isShutdown()) {
			try {
				var _ = this.executor.schedule(() -> safely(work), millis, TimeUnit.MILLISECONDS);
			}
			catch (RejectedExecutionException stopped) {
				log.debug("The thread of the layout has stopped", stopped);
			}
		}
	}

}
