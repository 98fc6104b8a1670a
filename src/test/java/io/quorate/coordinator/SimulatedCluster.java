package io.quorate.coordinator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.clock.Deadline;
import io.quorate.clock.HybridClock;
import io.quorate.clock.SkewJudge;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;

/**
 * Nodes in one thread and in virtual time, each a replica and a coordinator with a clock
 * of its own, and a {@link SimulatedLink} between any two.
 */
final class SimulatedCluster implements AutoCloseable {

	private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(DeadlineSweep.TICK_MILLIS);

	final Random random;

	final MeterRegistry meters = new SimpleMeterRegistry();

	final List<Node> nodes = new ArrayList<>();

	private final Watcher watcher;

	private final FixedLists lists;

	private final Map<Key, List<String>> holders = new HashMap<>();

	private final PriorityQueue<Event> events = new PriorityQueue<>(
			Comparator.comparingLong(Event::nanos).thenComparingLong(Event::number));

	private long nanos;

	private long eventNumber;

	private boolean isCalm;

	SimulatedCluster(Random random, Shape shape, Watcher watcher) {
		this.random = random;
		this.watcher = watcher;
		for (int i = 0; i < shape.nodes; i++) {
			this.nodes.add(new Node("n" + i));
		}
		this.lists = new FixedLists(shape.replicationFactor,
				this.nodes.stream().<Replica>map((node) -> new ScriptedReplica(node.id)).toList());
		for (int i = 0; i < shape.nodes; i++) {
			this.nodes.get(i).start(i, shape);
		}
		at(TICK_NANOS, this::tick);
	}

	private void tick() {
		this.nodes.forEach((node) -> node.sweep.sweep());
		at(TICK_NANOS, this::tick);
	}

	/** Has something happen after a time. */
	void at(long delayNanos, Runnable event) {
		this.events.add(new Event(this.nanos + Math.max(delayNanos, 0), this.eventNumber++, event));
	}

	long nanos() {
		return this.nanos;
	}

	/** Lets the next thing happen. */
	void step() {
		Event next = this.events.remove();
		this.nanos = next.nanos;
		next.run.run();
	}

	/** Lets happen what happens in a time. */
	void run(Duration time) {
		long end = this.nanos + time.toNanos();
		while (this.events.element().nanos <= end) {
			step();
		}
		this.nanos = end;
	}

	/** From now on nothing goes wrong any more. */
	void calmDown() {
		this.isCalm = true;
		for (Node node : this.nodes) {
			node.isDown = false;
			node.standsStillUntil = 0;
		}
	}

	/** Whether something that goes wrong in so many of a hundred cases does. */
	boolean goesWrong(int percent) {
		return !this.isCalm && this.random.nextInt(100) < percent;
	}

	/** One node stops, stands still for a while, or all run. */
	void disturb() {
		this.nodes.forEach((node) -> node.isDown = false);
		Node node = this.nodes.get(this.random.nextInt(this.nodes.size()));
		switch (this.random.nextInt(3)) {
			case 0 -> node.isDown = true;
			case 1 -> node.standsStillUntil = this.nanos + TimeUnit.MILLISECONDS.toNanos(this.random.nextInt(400));
			default -> node.standsStillUntil = 0;
		}
	}

	WriteReply put(Node node, Key key, Entry entry) {
		this.watcher.stored(node.id, key, entry);
		WriteReply reply = node.store.put(key, entry);
		Timestamp newest = node.newest;
		node.newest = newest.isAfter(entry.timestamp()) ? newest : entry.timestamp();
		/* As a table whose newest stamp is above and whose filter errs. */
		boolean errs = reply instanceof WriteReply.Applied && newest.isAfter(entry.timestamp()) && goesWrong(20);
		return errs ? new WriteReply.Superseded(newest) : reply;
	}

	@Override
	public void close() {
		this.nodes.forEach((node) -> node.coordinator().close());
	}

	/** Sees what is stored and what is missed. */
	interface Watcher {

		void stored(String node, Key key, Entry entry);

		void missed(Key key, Entry entry, String node);

	}

	/**
	 * How many nodes, how many of them hold a key, how far apart their clocks may be, and
	 * whom reads ask for what.
	 */
	record Shape(int nodes, int replicationFactor, long maxSkewMillis, ReadPolicy policy) {
	}

	private record Event(long nanos, long number, Runnable run) {
	}

	/** One node. */
	final class Node {

		final String id;

		final MemoryStore store = new MemoryStore();

		boolean isDown;

		long standsStillUntil;

		private Timestamp newest = Timestamp.ZERO;

		private final DeadlineSweep sweep = new DeadlineSweep((task) -> at(0, task), SimulatedCluster.this::nanos,
				() -> {
				});

		private final List<QuorumCoordinator> coordinators = new ArrayList<>();

		private Node(String id) {
			this.id = id;
			this.store.mostOnAPage = 2;
		}

		private void start(int number, Shape shape) {
			long skew = (shape.maxSkewMillis > 0) ? SimulatedCluster.this.random.nextLong(shape.maxSkewMillis) : 0;
			HybridClock clock = new HybridClock(() -> millis() + skew, number, new ClusterTests.NoCeiling(), 0);
			SkewJudge judge = new SkewJudge(this::millis, SimulatedCluster.this::nanos, Duration.ofHours(1));
			List<SimulatedLink> links = SimulatedCluster.this.nodes.stream()
				.map((peer) -> new SimulatedLink(SimulatedCluster.this, this, peer))
				.toList();
			Cluster cluster = new Cluster(this.id, new FixedLists(shape.replicationFactor, List.<Replica>copyOf(links)),
					new LinkSuspects(links), judge, SimulatedCluster.this.watcher::missed);
			this.coordinators
				.add(new QuorumCoordinator(clock, cluster, shape.policy, SimulatedCluster.this.meters, this.sweep));
		}

		private long millis() {
			return 1_000_000_000 + TimeUnit.NANOSECONDS.toMillis(SimulatedCluster.this.nanos);
		}

		QuorumCoordinator coordinator() {
			return this.coordinators.getFirst();
		}

		int pending() {
			return this.sweep.pending();
		}

	}

	/** Suspects whoever is down, or silent on its link. */
	private record LinkSuspects(List<SimulatedLink> links) implements Suspects {

		@Override
		public boolean isSuspect(String node) {
			return this.links.stream().anyMatch((link) -> link.nodeId().equals(node) && link.isSuspect());
		}

		@Override
		public void onSuspect(Consumer<String> listener) {
			this.links.forEach((link) -> link.onSuspect(listener));
		}

	}

	/** The ids of the first nodes that are to hold a key. */
	List<String> holders(Key key, int count) {
		List<String> all = this.holders.computeIfAbsent(key,
				(_) -> this.lists.replicasOf(key).stream().map(Replica::nodeId).toList());
		return all.subList(0, count);
	}

	/** A deadline in virtual time. */
	Deadline deadline(Duration timeout) {
		return new Deadline(this.nanos + timeout.toNanos());
	}

}
