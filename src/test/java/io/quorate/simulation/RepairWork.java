package io.quorate.simulation;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.membership.members.MemberState;
import io.quorate.repair.antientropy.CopyObserver;
import io.quorate.repair.antientropy.DrivenComparisons.Running;
import io.quorate.repair.record.Horizon;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Origin;
import io.quorate.replica.WriteReply;
import io.quorate.storage.ScanPage;

/**
 * The repair that a process does by itself: comparisons with each peer, copies of what it
 * gains, hints, purges, and its own rebuild. Comparisons and copies, arrivals and purges
 * are those of the product. Hints and rebuilds are simpler here, because the product
 * keeps them in files and on threads: a hint is sent again until it is taken or fenced,
 * and a node that has lost its disk copies what it must hold from all members that share
 * keys with it, before it is read.
 */
final class RepairWork {

	private static final Duration SECOND = Duration.ofSeconds(1);

	private static final Duration AGAIN = Duration.ofMillis(100);

	private static final Duration HINT_DEADLINE = Duration.ofSeconds(10);

	private final SimulatedCluster cluster;

	private final SimulatedProcess process;

	/* Comparisons that go on where they were interrupted. */
	private final Map<String, Running> whole = new HashMap<>();

	private final Set<String> copied = new TreeSet<>();

	private long copiedByVersion;

	private long highestHorizon;

	RepairWork(SimulatedCluster cluster, SimulatedProcess process) {
		this.cluster = cluster;
		this.process = process;
	}

	void begin() {
		this.process.each(this.cluster.weather().comparisons, this::compare);
		this.process.each(SECOND, this::handOver);
		this.process.each(SECOND, this::rebuild);
		if (this.cluster.weather().isPurging()) {
			this.process.each(SECOND, () -> {
				this.process.purges().advance();
				this.cluster.judge().purged(this.process.store().compact());
			});
		}
	}

	/* Of each pair the node with the smaller id leads. */
	private void compare() {
		for (SimulatedNode peer : this.cluster.nodes()) {
			if (isUp(peer) && this.process.id().compareTo(peer.id()) < 0
					&& !this.cluster.obstacles().isCopiedOnly(this.process.id(), peer.id())
					&& this.process.comparisons().isSharing(peer.id())) {
				Running its = this.whole.computeIfAbsent(peer.id(),
						(_) -> this.process.comparisons().whole(ComparisonLink.peer(this.cluster, this.process, peer)));
				this.cluster.compare(this.process, its, false);
			}
		}
	}

	private boolean isUp(SimulatedNode peer) {
		return peer != this.process.node() && this.process.member().membership().stateOf(peer.id()) == MemberState.UP;
	}

	/** Copies from a peer what this node must hold and lacks. */
	CompletableFuture<Long> fetch(String peer, CopyObserver observer) {
		if (!this.process.comparisons().isSharing(peer)) {
			return CompletableFuture.completedFuture(0L);
		}
		Running copy = this.process.comparisons()
			.fetch(ComparisonLink.peer(this.cluster, this.process, this.cluster.node(peer)), observer);
		CompletableFuture<Long> outcome = copy.horizon();
		var _ = outcome.whenComplete((_, _) -> {
			if (outcome.isCancelled()) {
				copy.abandon();
			}
		});
		this.cluster.compare(this.process, copy, true);
		return outcome;
	}

	private void handOver() {
		if (this.cluster.obstacles().areHintsHeld) {
			return;
		}
		for (SimulatedNode.Owed owed : List.copyOf(this.process.directory().hints)) {
			SimulatedNode member = this.cluster.node(owed.node());
			if (this.cluster.time().nanos() - owed.nanos() < this.cluster.weather().hints.toNanos() || !isUp(member)
					|| !this.process.layouts().current().hasMember(owed.node())) {
				continue;
			}
			new PeerLink(this.cluster, this.process, member)
				.apply(owed.key(), owed.entry(), Origin.HINT, this.process.deadline(HINT_DEADLINE))
				.subscribe((reply) -> {
					boolean isFenced = reply instanceof WriteReply.Failed(var failure)
							&& failure.reason() == Reason.FENCED;
					boolean isTaken = reply instanceof WriteReply.Applied || reply instanceof WriteReply.Superseded;
					if (isFenced || isTaken) {
						this.process.directory().hints.remove(owed);
					}
				});
		}
	}

	/* A source that has another layout than this node is not copied from yet. */
	private void rebuild() {
		if (!this.process.arrivals().isRebuilding() || !this.process.layouts().isMember()
				|| this.process.member().reports().isBehind()) {
			return;
		}
		long version = this.process.layouts().current().version();
		if (version != this.copiedByVersion) {
			this.copied.clear();
			this.copiedByVersion = version;
		}
		Set<String> sources = new TreeSet<>(this.process.purges().permission().sharing());
		sources.removeAll(this.process.layouts().current().dead());
		for (String source : sources) {
			if (this.cluster.obstacles().isApart(this.process.id(), source)) {
				continue;
			}
			SimulatedProcess its = this.cluster.node(source).process();
			if (!this.copied.contains(source) && its != null && this.process.isConnectedTo(its)
					&& !its.arrivals().isRebuilding() && its.isReady()) {
				if (copyFrom(its)) {
					this.copied.add(source);
				}
			}
		}
		if (this.copied.containsAll(sources)) {
			this.cluster.time().in(AGAIN, () -> finish(version));
		}
	}

	/* A copy without an entry from the future is not complete. */
	private boolean copyFrom(SimulatedProcess source) {
		boolean isComplete = true;
		for (Map.Entry<Key, Entry> held : source.store().content().entrySet()) {
			ScanPage.Item item = new ScanPage.Item(held.getKey(), held.getValue());
			isComplete &= !this.process.arrivals().isOursButForItsStamp(item);
			if (this.process.arrivals().isOurs(item)) {
				this.process.clock().observe(item.entry().timestamp());
				var _ = this.process.store().apply(item.key(), item.entry(), Runnable::run);
			}
		}
		this.highestHorizon = Horizon.higher(this.highestHorizon, source.horizon().overall());
		return isComplete;
	}

	private void finish(long version) {
		if (this.process.isDead() || version != this.process.layouts().current().version()
				|| !this.process.arrivals().isRebuilding()) {
			return;
		}
		CompletableFuture<Void> disk = this.process.store().force();
		if (!disk.isDone()) {
			return;
		}
		try {
			this.process.horizon().raise(new Horizon.Levels(this.highestHorizon, Map.of()));
		}
		catch (IOException impossible) {
			throw new AssertionError(impossible);
		}
		this.process.arrivals().rebuilt(this.highestHorizon);
		this.process.directory().isRebuilt = false;
		this.cluster.rebuilt(this.process.node());
	}

}
