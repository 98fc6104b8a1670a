package io.quorate.coordinator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.quorate.clock.HybridClock;
import io.quorate.clock.SkewJudge;
import io.quorate.replica.Replica;

/**
 * Nodes in one thread, each a replica and a coordinator with a clock of its own. Messages
 * arrive in random order; some get lost on their way, or their replies do.
 */
final class SimulatedCluster implements MemoryReplica.Network, AutoCloseable {

	private static final int LOSS_PERCENT = 6;

	final List<MemoryReplica> replicas = new ArrayList<>();

	final List<QuorumCoordinator> coordinators = new ArrayList<>();

	final Set<String> down = new HashSet<>();

	private final Random random;

	private final List<Runnable> messages = new ArrayList<>();

	private final Map<Integer, Long> skews = new HashMap<>();

	private long millis = 1_000_000_000;

	SimulatedCluster(Random random, int nodes, int replicationFactor, long maxSkewMillis, ReadContacts contacts) {
		this.random = random;
		for (int i = 0; i < nodes; i++) {
			this.replicas.add(new MemoryReplica("n" + i, this));
		}
		FixedLists lists = new FixedLists(replicationFactor, List.copyOf(this.replicas));
		for (int i = 0; i < nodes; i++) {
			this.skews.put(i, (maxSkewMillis > 0) ? random.nextLong(maxSkewMillis) : 0L);
			this.coordinators.add(coordinator(i, lists, contacts));
		}
	}

	private QuorumCoordinator coordinator(int number, FixedLists lists, ReadContacts contacts) {
		HybridClock clock = new HybridClock(() -> this.millis + this.skews.getOrDefault(number, 0L), number,
				new ClusterTests.NoCeiling(), 0);
		SkewJudge judge = new SkewJudge(() -> this.millis, () -> 0, Duration.ofHours(1));
		Cluster cluster = new Cluster("n" + number, lists, new RandomSuspects(), judge, new CountedMisses());
		return new QuorumCoordinator(clock, cluster, contacts);
	}

	/** The replicas of the first nodes of a list. */
	static Set<String> names(List<Replica> replicas) {
		Set<String> names = new HashSet<>();
		replicas.forEach((replica) -> names.add(replica.nodeId()));
		return names;
	}

	@Override
	public <T> void send(String node, Supplier<T> work, Supplier<T> failed, Consumer<T> deliver) {
		if (this.down.contains(node)) {
			deliver.accept(failed.get());
			return;
		}
		boolean isLost = this.random.nextInt(100) < LOSS_PERCENT;
		boolean isReplyLost = this.random.nextInt(100) < LOSS_PERCENT;
		this.messages.add(() -> {
			T reply = isLost ? failed.get() : work.get();
			this.messages.add(() -> deliver.accept(isReplyLost ? failed.get() : reply));
		});
	}

	/** Lets one message arrive, any of those on their way. */
	void step() {
		if (this.random.nextInt(20) == 0) {
			this.millis++;
		}
		if (!this.messages.isEmpty()) {
			this.messages.remove(this.random.nextInt(this.messages.size())).run();
		}
	}

	boolean isQuiet() {
		return this.messages.isEmpty();
	}

	@Override
	public void close() {
		this.coordinators.forEach(QuorumCoordinator::close);
	}

	/** Anybody may be suspect at any time. */
	private final class RandomSuspects implements Suspects {

		@Override
		public boolean isSuspect(String node) {
			return SimulatedCluster.this.random.nextInt(10) == 0;
		}

		@Override
		public void onSuspect(Consumer<String> listener) {
			// the signal comes on another thread, which would make runs differ
		}

	}

}
