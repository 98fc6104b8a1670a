package io.quorate.repair.antientropy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import io.quorate.repair.comparison.KeyRange;
import io.quorate.repair.comparison.Pass.Direction;
import io.quorate.repair.rate.RateLimiter;
import io.quorate.replica.Failure;
import io.quorate.replica.comparison.ComparisonStart;
import io.quorate.storage.thread.OwnedThread;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Leads the comparisons of this node. Of each pair of nodes the one with the smaller id
 * leads the regular ones, over and over; a requested one is led by the node that was
 * asked. One peer and one range at a time, on one thread. An interrupted comparison
 * yields to the other comparisons, and goes on where it was as soon as it can. Safe for
 * any number of threads.
 */
public final class AntiEntropy implements SmartLifecycle {

	/* Time whose bytes may be sent at once. */
	private static final Duration BURST = Duration.ofMillis(50);

	private static final Logger log = LoggerFactory.getLogger(AntiEntropy.class);

	/*
	 * By then peers should be connected, and writes that a restart has missed be settled.
	 */
	private static final Duration FIRST = Duration.ofSeconds(5);

	/*
	 * Most requested comparisons, finished ones included: these are kept to show their
	 * outcome.
	 */
	private static final int MAX_REQUESTED = 64;

	/* A fault that comes again at once must not fill the log. */
	private static final Duration AFTER_A_FAULT = Duration.ofSeconds(1);

	private final LocalSide own;

	private final Map<String, ComparisonPeer> peers = new ConcurrentSkipListMap<>();

	private final ComparisonProperties properties;

	private final RateLimiter rateLimiter;

	private final RateLimiter moveRateLimiter;

	private final List<ComparisonTask> regular = new CopyOnWriteArrayList<>();

	private final List<ComparisonTask> requested = new CopyOnWriteArrayList<>();

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	/* Guarded by the lock. */
	private boolean isStarted;

	private final OwnedThread thread = new OwnedThread("anti-entropy", this::work);

	AntiEntropy(LocalSide own, ComparisonProperties properties) {
		this.own = own;
		this.properties = properties;
		this.rateLimiter = RateLimiter.full(properties.bytesPerSecond().toBytes(), BURST, this.own.time().nanos());
		this.moveRateLimiter = RateLimiter.full(properties.moveBytesPerSecond().toBytes(), BURST,
				this.own.time().nanos());
	}

	@Override
	public void start() {
		begin();
		this.thread.start();
	}

	/** Schedules the regular comparisons. */
	void begin() {
		locked(() -> {
			this.isStarted = true;
			this.peers.values().forEach(this::schedule);
		});
	}

	/**
	 * Compares with a peer from now on. It takes the place of an earlier one of its id.
	 */
	void add(ComparisonPeer peer) {
		var _ = this.own.agreements().metrics().add(peer.id());
		locked(() -> {
			abandon(peer.id());
			this.peers.put(peer.id(), peer);
			if (this.isStarted) {
				schedule(peer);
			}
		});
	}

	/** Compares with a peer no more. */
	void remove(String peer) {
		locked(() -> {
			this.peers.remove(peer);
			abandon(peer);
		});
		this.own.shared().forget(peer);
		this.own.agreements().metrics().forget(peer);
	}

	/** Takes note that peers may hold other entries from now on. */
	void reassigned() {
		locked(() -> {
		});
	}

	private void schedule(ComparisonPeer peer) {
		if (this.properties.enabled() && leads(peer.id())) {
			long due = this.own.time().nanos() + Math.min(FIRST.toNanos(), this.properties.interval().toNanos());
			this.regular.add(comparisonTask(peer, ComparisonOrder.overAndOver(this.properties.interval()), due));
		}
	}

	private void abandon(String peer) {
		abandon(peer, this.regular);
		abandon(peer, this.requested);
	}

	private static void abandon(String peer, List<ComparisonTask> tasks) {
		List<ComparisonTask> its = tasks.stream().filter((task) -> task.peerId().equals(peer)).toList();
		its.forEach((task) -> task.abandon("%s is no member any more".formatted(peer)));
		tasks.removeAll(its);
	}

	/* The thread looks again afterwards. */
	private void locked(Runnable change) {
		this.lock.lock();
		try {
			change.run();
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Id of the node that leads the regular comparisons of this node with a peer: the
	 * smaller one. {@code null} when the two have no entry in common.
	 */
	public @Nullable String leaderWith(String peer) {
		if (!isSharing(peer)) {
			return null;
		}
		return leads(peer) ? this.own.self() : peer;
	}

	private boolean leads(String peer) {
		return this.own.self().compareTo(peer) < 0;
	}

	/* Whether this node and a peer have entries in common. */
	private boolean isSharing(String peer) {
		return this.peers.containsKey(peer) && this.own.shared().isAny(peer);
	}

	private void work() {
		while (this.thread.isRunning()) {
			turn(this::awaitNext);
		}
	}

	/** Runs a comparison, if there is one. Called by one thread. */
	void turn(Supplier<@Nullable ComparisonTask> due) {
		try {
			ComparisonTask next = due.get();
			if (next != null) {
				run(next);
			}
		}
		catch (RuntimeException | Error fault) {
			log.error("Internal error in the order of comparisons", fault);
			this.own.time().rest(AFTER_A_FAULT.toNanos());
		}
	}

	/** Waits for the next comparison that is due; {@code null} when the node stops. */
	private @Nullable ComparisonTask awaitNext() {
		this.lock.lock();
		try {
			while (this.thread.isRunning()) {
				ComparisonTask next = next();
				long wait = (next != null) ? next.dueNanos() - this.own.time().nanos() : Long.MAX_VALUE;
				if (wait <= 0) {
					return next;
				}
				var _ = this.changed.awaitNanos(wait);
			}
			return null;
		}
		catch (InterruptedException stop) {
			return null;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** The comparison that is due first; {@code null} when there is none. */
	@Nullable ComparisonTask next() {
		List<ComparisonTask> all = new ArrayList<>(this.requested);
		all.addAll(this.regular);
		return all.stream()
			.filter((each) -> !each.isOver() && isSharing(each.peerId()))
			.min(Comparator.comparingLong((each) -> each.dueNanos() - this.own.time().nanos()))
			.orElse(null);
	}

	private void run(ComparisonTask comparisonTask) {
		Failure before = comparisonTask.failure();
		try {
			comparisonTask.run();
		}
		catch (RuntimeException | Error fault) {
			log.error("Internal error in the comparison with {}", comparisonTask.peerId(), fault);
			comparisonTask.brokenOff(fault);
			return;
		}
		Failure after = comparisonTask.failure();
		if (comparisonTask.isAbandoned()) {
			log.debug("The comparison with {} is given up", comparisonTask.peerId());
		}
		else if (this.thread.isRunning() && after != null && (before == null || before.reason() != after.reason())) {
			log.info("The comparison with {} is interrupted, and goes on when it can: {}: {}", comparisonTask.peerId(),
					after.reason().word(), after.detail());
		}
		else if (before != null && after == null) {
			log.info("The comparison with {} has gone on", comparisonTask.peerId());
		}
	}

	/**
	 * Compares with all peers, now and once.
	 * @param range keys to compare
	 * @return completes when all are done; fails when one is given up, or at once when
	 * too many are waiting
	 */
	public CompletableFuture<Void> compare(KeyRange range) {
		return allOf(request(this.peers.values(), ComparisonOrder.once(range)));
	}

	/**
	 * Compares with one peer, now and once.
	 * @param range keys to compare
	 * @return completes when it is done; fails when it is given up, or at once when too
	 * many are waiting
	 * @throws IllegalArgumentException when there is no such peer
	 */
	public CompletableFuture<Void> compare(String peer, KeyRange range) {
		return allOf(request(List.of(known(peer)), ComparisonOrder.once(range)));
	}

	private ComparisonPeer known(String peer) {
		ComparisonPeer node = this.peers.get(peer);
		if (node == null) {
			throw new IllegalArgumentException("'%s' is no other member".formatted(peer));
		}
		return node;
	}

	/**
	 * Fetches from a peer, now and once, every entry that it holds and this node must
	 * hold, and sends none. Ends within a page when the caller cancels it.
	 * @return completes when done with the purge horizon that the peer had when it began,
	 * a hybrid time; fails when it is given up, or at once when too many are waiting
	 * @throws IllegalArgumentException when there is no such peer
	 */
	public CompletableFuture<Long> fetchAll(String peer, CopyObserver observer) {
		List<CompletableFuture<@Nullable ComparisonStart>> only = request(List.of(known(peer)),
				ComparisonOrder.fetching(observer));
		CompletableFuture<Long> copy = only.getFirst()
			.thenApply((theirs) -> (theirs != null) ? theirs.purgeHorizon().hybrid() : 0L);
		return cancelling(copy, () -> only.getFirst().cancel(false));
	}

	private static CompletableFuture<Void> allOf(List<? extends CompletableFuture<?>> all) {
		return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new));
	}

	private List<CompletableFuture<@Nullable ComparisonStart>> request(Iterable<ComparisonPeer> nodes,
			ComparisonOrder order) {
		List<CompletableFuture<@Nullable ComparisonStart>> all = new ArrayList<>();
		locked(() -> nodes.forEach((node) -> all.add(request(node, order))));
		return all;
	}

	/* Null if the two nodes have no entry in common. */
	private CompletableFuture<@Nullable ComparisonStart> request(ComparisonPeer node, ComparisonOrder order) {
		if (!isSharing(node.id())) {
			return CompletableFuture.completedFuture(null);
		}
		if (this.requested.size() >= MAX_REQUESTED) {
			this.requested.stream().filter(ComparisonTask::isOver).findFirst().ifPresent(this.requested::remove);
		}
		if (this.requested.size() >= MAX_REQUESTED) {
			return CompletableFuture.failedFuture(new IllegalStateException(
					"%d comparisons have been asked for and are not over".formatted(MAX_REQUESTED)));
		}
		ComparisonTask comparisonTask = comparisonTask(node, order, this.own.time().nanos());
		this.requested.add(comparisonTask);
		CompletableFuture<@Nullable ComparisonStart> outcome = comparisonTask.done().thenApply((theirs) -> theirs);
		return cancelling(outcome, () -> {
			comparisonTask.abandon("it was cancelled");
			locked(() -> this.requested.remove(comparisonTask));
		});
	}

	private static <T extends @Nullable Object> CompletableFuture<T> cancelling(CompletableFuture<T> outcome,
			Runnable cancelled) {
		var _ = outcome.whenComplete((_, _) -> {
			if (outcome.isCancelled()) {
				cancelled.run();
			}
		});
		return outcome;
	}

	private ComparisonTask comparisonTask(ComparisonPeer node, ComparisonOrder order, long dueNanos) {
		return (order.direction() == Direction.FETCH)
				? new ComparisonTask(this.own, node, order, this.moveRateLimiter, this.properties.moveShare(), dueNanos)
				: new ComparisonTask(this.own, node, order, this.rateLimiter, this.properties.share(), dueNanos);
	}

	/** Progress of the comparisons: the regular ones, then the requested ones. */
	public List<ComparisonProgress> progress() {
		List<ComparisonTask> all = new ArrayList<>(this.regular);
		all.addAll(this.requested);
		return all.stream().filter((task) -> isSharing(task.peerId())).map(ComparisonTask::progress).toList();
	}

	/**
	 * Seconds since the last completed comparison with each peer began, led by either
	 * node; NaN before the first since the start.
	 */
	public Map<String, Double> agesSeconds() {
		return this.own.agreements().metrics().agesSeconds();
	}

	@Override
	public void stop() {
		this.thread.interrupt();
	}

	@Override
	public boolean isRunning() {
		return this.thread.isRunning();
	}

	/** Ends after the node has announced its stop to its peers. */
	@Override
	public int getPhase() {
		return DEFAULT_PHASE - 1;
	}

}
