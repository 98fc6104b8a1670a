package io.quorate.repair.antientropy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.clock.Deadline;
import io.quorate.clock.HybridClock;
import io.quorate.entry.Key;
import io.quorate.membership.members.Layouts;
import io.quorate.repair.comparison.ComparisonAnswers;
import io.quorate.repair.comparison.ComparisonFailedException;
import io.quorate.repair.comparison.Scope;
import io.quorate.repair.rate.RateLimiter;
import io.quorate.replica.Replica;
import io.quorate.replica.comparison.ComparisonReply;
import io.quorate.replica.comparison.ComparisonResult;
import io.quorate.replica.comparison.ComparisonStart;
import io.quorate.replica.comparison.PeerComparison;
import io.quorate.replica.comparison.RangeHash;
import io.quorate.replica.comparison.Round;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.ScanPage;
import io.quorate.storage.Store;
import io.quorate.storage.StoreIdentity;
import io.quorate.storage.thread.ThreadTime;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The comparisons of a node in simulated time: its own, which the caller runs one by one
 * instead of the thread of {@link AntiEntropy}, and its answers, which come at once
 * instead of on the threads of {@link ComparisonResponder}. What either waits for has to
 * be complete when it is returned.
 */
public final class DrivenComparisons {

	private static final long BYTES_PER_SECOND = 1L << 40;

	private static final Duration INTERVAL = Duration.ofSeconds(1);

	private final LocalSide own;

	private final RateLimiter unlimited = RateLimiter.full(BYTES_PER_SECOND, INTERVAL, System.nanoTime());

	/**
	 * The parts of the node.
	 *
	 * @param local this node as a replica
	 */
	public record Node(Layouts layouts, Store store, StoreIdentity identity, Replica local, HybridClock clock,
			Rounds rounds, AgreementListener listener) {
	}

	/** A peer as comparisons need it. */
	public record Peer(PeerComparison comparison, Replica replica) {
	}

	public DrivenComparisons(Node node) {
		this.own = new LocalSide(new SharedWithPeers(node.layouts().self(), node.layouts()::current), node.store(),
				node.local(), new Agreements(node.identity().storageId(), node.clock(), node.rounds(), node.listener(),
						new ComparisonMetrics(new SimpleMeterRegistry())),
				ThreadTime.SYSTEM);
	}

	/** Whether this node and a peer have entries in common. */
	public boolean isSharing(String peer) {
		return this.own.shared().isAny(peer);
	}

	/** A comparison of both whole stores that has not begun. */
	public Running whole(Peer peer) {
		return new Running(task(peer, ComparisonOrder.overAndOver(INTERVAL)));
	}

	/** A copy from a peer that has not begun. */
	public Running fetch(Peer peer, CopyObserver observer) {
		return new Running(task(peer, ComparisonOrder.fetching(observer)));
	}

	private ComparisonTask task(Peer peer, ComparisonOrder order) {
		return new ComparisonTask(this.own, new ComparisonPeer(peer.comparison(), peer.replica(), () -> 0), order,
				this.unlimited, 1, System.nanoTime());
	}

	/** A comparison that this node leads. */
	public static final class Running {

		private final ComparisonTask task;

		private Running(ComparisonTask task) {
			this.task = task;
		}

		/** Runs until it is complete or interrupted. */
		public void run() {
			this.task.run();
		}

		/** Whether it is never run again. */
		public boolean isOver() {
			return this.task.isOver();
		}

		public void abandon() {
			this.task.abandon("it is given up");
		}

		/** The purge horizon of the peer, once it is complete. */
		public CompletableFuture<Long> horizon() {
			return this.task.done().thenApply((theirs) -> theirs.purgeHorizon().hybrid());
		}

	}

	/** The answers of this node to a peer. */
	public PeerComparison answersTo(String peer) {
		return new Answers(this.own, peer);
	}

	/** The answers of one side to a peer. */
	record Answers(LocalSide own, String peer) implements PeerComparison {

		@Override
		public String nodeId() {
			return this.own.self();
		}

		@Override
		public Mono<ComparisonReply<ComparisonStart>> begin(Round round, ComparisonStart ours, Deadline deadline) {
			return answered(() -> this.own.begin(this.peer, round, ours).ours());
		}

		@Override
		public Mono<ComparisonReply<ComparisonResult>> compare(Round round, List<RangeHash> ranges, Deadline deadline) {
			return answered(() -> answers(round, deadline).compare(ranges));
		}

		@Override
		public Mono<ComparisonReply<HeaderPage>> headers(Round round, Key start, @Nullable Key end, Deadline deadline) {
			return answered(() -> answers(round, deadline).headers(start, end));
		}

		@Override
		public Mono<ComparisonReply<ScanPage>> fetch(Round round, List<Key> keys, Deadline deadline) {
			return answered(() -> answers(round, deadline).fetch(keys));
		}

		@Override
		public Mono<ComparisonReply<Round>> complete(Round round, Deadline deadline) {
			return answered(() -> this.own.agreements().complete(this.peer, round).round());
		}

		private ComparisonAnswers answers(Round round, Deadline deadline) {
			SharedWithPeers.Shared shared = this.own.sharedWith(this.peer);
			return new ComparisonAnswers(new Scope(shared.entries(), round),
					this.own.store(round, shared, () -> deadline));
		}

		private static <T> Mono<ComparisonReply<T>> answered(Supplier<T> work) {
			try {
				return Mono.just(new ComparisonReply.Answer<>(work.get()));
			}
			catch (ComparisonFailedException failure) {
				return Mono.just(new ComparisonReply.Failed<>(failure.failure()));
			}
		}

	}

}
