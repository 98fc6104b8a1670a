package io.quorate.coordinator;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.quorate.entry.Key;
import io.quorate.replica.Replica;
import io.quorate.storage.Promise;

/**
 * Ends the promises of this node's replica whose rounds were left in the midst: by a
 * coordinator that was killed, or whose messages were lost. Until then the key is no less
 * consistent, but each read of it costs a round. The first replica of the key that is up
 * settles it, the others only later, by their rank.
 * <p>
 * It looks at all promises once a second, on the thread of the {@link DeadlineSweep}, and
 * never blocks. At most {@value #MOST} keys are settled at once.
 */
final class Settling implements DeadlineSweep.Waiting {

	static final int MOST = 64;

	private static final long PERIOD_NANOS = Duration.ofSeconds(1).toNanos();

	private static final long RANK_NANOS = Duration.ofSeconds(2).toNanos();

	private final ClusterView clusterView;

	private final Supplier<? extends Collection<Promise>> promises;

	private final Consumer<Promise> foreign;

	private final Settler settler;

	private final Set<Key> underWay = new HashSet<>();

	/* When each promise that is due was seen first. */
	private Map<Key, Seen> seen = new HashMap<>();

	private long lastNanos;

	private record Seen(Promise promise, long atNanos) {
	}

	/** Settles a key, and notifies of its end, whether it has succeeded or failed. */
	@FunctionalInterface
	interface Settler {

		void settle(Key key, Runnable end);

	}

	/**
	 * A settling that has seen nothing yet.
	 * @param promises those that stand in this node's store
	 * @param foreign receives those of keys of which this node is no replica any more
	 */
	Settling(ClusterView clusterView, Supplier<? extends Collection<Promise>> promises, Consumer<Promise> foreign,
			Settler settler) {
		this.foreign = foreign;
		this.clusterView = clusterView;
		this.promises = promises;
		this.settler = settler;
	}

	@Override
	public void onTick(long nowNanos) {
		if (nowNanos - this.lastNanos >= PERIOD_NANOS) {
			this.lastNanos = nowNanos;
			turn(nowNanos);
		}
	}

	@Override
	public void onSuspect(String node) {
		// The next turn sees it.
	}

	/** Looks at the promises, and begins to settle those that are due. */
	void turn(long nowNanos) {
		Map<Key, Seen> due = new HashMap<>();
		for (Promise promise : this.promises.get()) {
			if (promise.untilNanos() - nowNanos <= 0) {
				Seen before = this.seen.get(promise.key());
				boolean isKnown = before != null && before.promise().ballot().equals(promise.ballot());
				due.put(promise.key(), isKnown ? before : new Seen(promise, nowNanos));
			}
		}
		this.seen = due;
		for (Seen one : due.values()) {
			settle(one, nowNanos);
		}
	}

	/* No round comes to a node that is no replica of the key any more. */
	private void settle(Seen seen, long nowNanos) {
		Promise promise = seen.promise();
		List<Replica> replicas = this.clusterView.lists().get().replicasOf(promise.key()).replicas();
		if (replicas.stream().noneMatch((replica) -> replica.nodeId().equals(this.clusterView.local()))) {
			this.foreign.accept(promise);
		}
		else if (seen.atNanos() + rank(replicas) * RANK_NANOS - nowNanos <= 0) {
			begin(promise.key());
		}
	}

	/* Number of the key's replicas before this node that are up. */
	private int rank(List<Replica> replicas) {
		int rank = 0;
		for (Replica replica : replicas) {
			if (replica.nodeId().equals(this.clusterView.local())) {
				break;
			}
			rank += this.clusterView.suspects().isSuspect(replica.nodeId()) ? 0 : 1;
		}
		return rank;
	}

	private synchronized void begin(Key key) {
		if (this.underWay.size() < MOST && this.underWay.add(key)) {
			this.settler.settle(key, () -> end(key));
		}
	}

	private synchronized void end(Key key) {
		this.underWay.remove(key);
	}

}
