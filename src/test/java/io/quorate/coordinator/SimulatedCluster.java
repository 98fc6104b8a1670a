package io.quorate.coordinator;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.clock.Deadline;
import io.quorate.clock.HybridClock;
import io.quorate.clock.NoCeiling;
import io.quorate.clock.SkewJudge;
import io.quorate.clock.Timestamp;
import io.quorate.coordinator.SimulatedLayouts.Step;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.internode.context.InternodeClock;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.LocalReplica;
import io.quorate.replica.ReadGate;
import io.quorate.replica.ReadReply;
import io.quorate.replica.Replica;
import io.quorate.replica.ReplicaGates;
import io.quorate.replica.WriteReply;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.PageLimit;
import io.quorate.storage.ReadResult;
import io.quorate.storage.Store;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Nodes in one thread and in virtual time, each a replica and a coordinator with a clock
 * of its own, and a {@link SimulatedLink} between any two.
 */
final class SimulatedCluster implements AutoCloseable {

	private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(DeadlineSweep.TICK_MILLIS);

	private static final long RESTART_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	final Random random;

	final MeterRegistry meters = new SimpleMeterRegistry();

	final List<Node> nodes = new ArrayList<>();

	final Watcher watcher;

	private final Shape shape;

	private final Set<String> cuts = new HashSet<>();

	private final List<QuorumCoordinator> booted = new ArrayList<>();

	final SimulatedLayouts layouts;

	private final PriorityQueue<Event> events = new PriorityQueue<>(
			Comparator.comparingLong(Event::nanos).thenComparingLong(Event::number));

	private long nanos;

	private long eventNumber;

	private boolean isCalm;

	SimulatedCluster(Random random, Shape shape, Watcher watcher) {
		this.random = random;
		this.watcher = watcher;
		this.shape = shape;
		for (int i = 0; i < shape.nodes; i++) {
			this.nodes.add(new Node("n" + i));
		}
		this.layouts = new SimulatedLayouts(this, shape);
		for (int i = 0; i < shape.nodes; i++) {
			this.nodes.get(i).boot(i, shape);
		}
		at(TICK_NANOS, this::tick);
	}

	private void tick() {
		this.nodes.forEach((node) -> {
			node.sweep().sweep();
			node.checkClock();
		});
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
		this.nodes.forEach(this::mend);
		this.cuts.clear();
	}

	private void mend(Node node) {
		node.isDown = false;
		at(node.closedNanos + this.shape.longest().toNanos() - this.nanos, () -> reopen(node));
		node.standsStillUntil = 0;
	}

	/** Whether nothing gets from one node to another. */
	boolean isCut(Node from, Node to) {
		return this.cuts.contains(from.id + to.id);
	}

	/** Whether something that goes wrong in so many of a hundred cases does. */
	boolean goesWrong(int percent) {
		return !this.isCalm && this.random.nextInt(100) < percent;
	}

	/**
	 * One node is killed, stands still for a while, has its clock moved, is rebuilt, or
	 * is not heard by another one; or all is well. What was before is over.
	 */
	void disturb() {
		this.nodes.forEach((node) -> {
			node.isDown = false;
			if (this.nanos - node.closedNanos > this.shape.longest().toNanos()) {
				reopen(node);
			}
		});
		this.cuts.clear();
		Node node = this.nodes.get(this.random.nextInt(this.nodes.size()));
		switch (this.random.nextInt(7)) {
			case 0 -> kill(node);
			case 1 -> node.standsStillUntil = this.nanos + TimeUnit.MILLISECONDS.toNanos(this.random.nextInt(400));
			case 2 -> node.moveClock();
			case 3 -> close(node);
			case 4, 5 -> this.cuts.add(node.id + this.nodes.get(this.random.nextInt(this.nodes.size())).id);
			default -> node.standsStillUntil = 0;
		}
	}

	/*
	 * It is rebuilt, and must not be read before it is, nor ends it before every request
	 * that was under way. One store is lost at a time: it was restarted, and what was
	 * sent before does not arrive.
	 */
	private void close(Node node) {
		if (this.nodes.stream().anyMatch((each) -> each.isClosed)) {
			return;
		}
		node.isClosed = true;
		node.closedNanos = this.nanos;
		if (this.shape.areStoresLost) {
			kill(node);
			node.store.entries.clear();
			int starts = node.starts;
			node.emptiedNanos = Long.MAX_VALUE;
			at(this.random.nextLong(this.shape.longest().toNanos() / 2), () -> setAside(node, starts));
			at(RESTART_NANOS, () -> node.isDown &= node.starts != starts);
		}
	}

	/* It has copied from every other node what it is to hold. */
	private void reopen(Node node) {
		if (!node.isClosed) {
			return;
		}
		node.isClosed = false;
		copy(node, (_, _) -> true);
	}

	/** Has a node copy from other ones what it is to hold. */
	void copy(Node node, BiPredicate<Key, Node> from) {
		this.nodes.forEach((other) -> other.store.entries.forEach((key, entry) -> {
			if (other != node && from.test(key, other) && this.layouts.holders(key, entry).contains(node.id)) {
				node.store.put(key, entry);
			}
		}));
	}

	/* What it has taken since the gate was closed is set aside with all the rest. */
	private void setAside(Node node, int starts) {
		if (node.isClosed && node.starts == starts) {
			node.store.entries.clear();
			node.emptiedNanos = this.nanos;
		}
	}

	/* It keeps its store and the ceiling of its clock, and nothing else. */
	private void kill(Node node) {
		node.isDown = true;
		node.boot(this.nodes.indexOf(node), this.shape);
		this.watcher.killed(node);
	}

	private ApplyResult put(Node node, Key key, Entry entry) {
		this.watcher.stored(node.id, key, entry, node.isLate);
		if (node.judge().refuses(entry.timestamp())) {
			this.watcher.violated("%s stored %s, from too far in the future".formatted(node.id, entry));
		}
		WriteReply reply = node.store.put(key, entry);
		Timestamp newest = node.newest;
		node.newest = newest.isAfter(entry.timestamp()) ? newest : entry.timestamp();
		if (reply instanceof WriteReply.Superseded beyond) {
			return new ApplyResult.Superseded(beyond.by(), true);
		}
		/* As a table whose newest stamp is above and whose filter errs. */
		boolean errs = newest.isAfter(entry.timestamp()) && goesWrong(20);
		return errs ? new ApplyResult.Superseded(newest, false) : new ApplyResult.Applied(1);
	}

	private static ReadResult get(Node node, Key key, int maxValueBytes) {
		return switch (node.store.get(key, maxValueBytes)) {
			case ReadReply.Found(var entry) -> new ReadResult.Found(entry);
			case ReadReply.Summarized(var summary) -> new ReadResult.Summarized(summary);
			case ReadReply.Absent _, ReadReply.Failed _ -> ReadResult.Absent.INSTANCE;
		};
	}

	/* What a replica asks for. */
	private Store store(Node node) {
		return (Store) Proxy.newProxyInstance(Store.class.getClassLoader(), new Class<?>[] { Store.class },
				(_, method, arguments) -> CompletableFuture.completedFuture(switch (method.getName()) {
					case "apply" -> put(node, (Key) arguments[0], (Entry) arguments[1]);
					case "read" -> get(node, (Key) arguments[0], (int) arguments[1]);
					case "page" -> node.store.entries((ScanRange) arguments[0], (PageLimit) arguments[1]);
					case "headers" -> node.store.headers((ScanRange) arguments[0], (PageLimit) arguments[1]);
					default -> throw new UnsupportedOperationException(method.getName());
				}));
	}

	@Override
	public void close() {
		this.booted.forEach(QuorumCoordinator::close);
	}

	/** Observes the entries that are stored or missed, and the nodes that are killed. */
	interface Watcher {

		void sent(Entry entry, String node, long layout);

		void stored(String node, Key key, Entry entry, boolean isLate);

		/** What it coordinated has no end. */
		void killed(Node node);

		void missed(Key key, Entry entry, String node);

		void violated(String what);

	}

	/**
	 * The numbers of nodes and of replicas of a key, and the greatest skew of the clocks.
	 *
	 * @param believedMillis how far ahead a timestamp may be
	 * @param digestAbove a value of more bytes is left out of answers to some reads
	 * @param longest the longest time that a request may take
	 * @param areStoresLost whether a node that is rebuilt has lost its entries
	 * @param membersBefore number of the first nodes that are members at first
	 * @param membersAfter number of those that are members at last
	 * @param replicasAfter number of replicas of a key at last
	 */
	record Shape(int nodes, int replicationFactor, long maxSkewMillis, long believedMillis, int digestAbove,
			Duration longest, boolean areStoresLost, int membersBefore, int membersAfter, int replicasAfter) {

		Shape(int nodes, int replicationFactor, long maxSkewMillis, long believedMillis, int digestAbove,
				Duration longest, boolean areStoresLost) {
			this(nodes, replicationFactor, maxSkewMillis, believedMillis, digestAbove, longest, areStoresLost, nodes,
					nodes, replicationFactor);
		}

	}

	/** The values of its sender's clocks that a message carries. */
	record Carried(Timestamp stamp, long physicalMillis) {
	}

	private record Event(long nanos, long number, Runnable run) {
	}

	/** One node. */
	final class Node {

		final String id;

		final MemoryStore store = new MemoryStore();

		boolean isDown;

		/* Whether it may not be read, as it is being rebuilt. */
		boolean isClosed;

		private long closedNanos;

		/* Before it was the store may still be set aside. */
		private long emptiedNanos;

		/* Whether what it is asked now has passed its deadline. */
		boolean isLate;

		long standsStillUntil;

		/* How often it was started. */
		int starts;

		/* Of a change of the layout. */
		Step step = Step.BEFORE;

		private Map<Step, PreferenceLists> lists = Map.of();

		private Timestamp newest = Timestamp.ZERO;

		private long aheadMillis;

		private @Nullable HybridClock clock;

		private @Nullable SkewJudge judge;

		private @Nullable InternodeClock carrier;

		/* Of all that it had reason to believe so far. */
		private long mostBelievedMillis;

		private @Nullable DeadlineSweep sweep;

		private @Nullable QuorumCoordinator coordinator;

		private @Nullable Replica replica;

		private Node(String id) {
			this.id = id;
			this.store.mostOnAPage = 2;
			moveClock();
		}

		private void moveClock() {
			long most = SimulatedCluster.this.shape.maxSkewMillis;
			checkClock();
			this.aheadMillis = (most > 0) ? SimulatedCluster.this.random.nextLong(most) : 0;
			checkClock();
		}

		private void boot(int number, Shape shape) {
			this.starts++;
			long ceiling = (this.clock != null) ? this.clock.lastHybrid() : 0;
			SkewJudge itsJudge = new SkewJudge(this::physicalMillis, SimulatedCluster.this::nanos,
					Duration.ofMillis(shape.believedMillis));
			HybridClock itsClock = new HybridClock(itsJudge::believedMillis, number, new NoCeiling(), ceiling);
			this.judge = itsJudge;
			this.clock = itsClock;
			this.carrier = InternodeClock.of(itsClock, itsJudge, this::physicalMillis);
			this.sweep = new DeadlineSweep((task) -> at(0, task), SimulatedCluster.this::nanos, () -> {
			});
			Failure closed = new Failure(Reason.REBUILDING, "as the simulation wants");
			LocalReplica local = new LocalReplica(this.id, SimulatedCluster.this.store(this), itsClock,
					() -> Runnable::run, new ReplicaGates(new Gate(this, closed), (_, _, _) -> null, itsJudge),
					SimulatedCluster.this.meters);
			this.replica = SimulatedLayouts.fenced(local, this);
			List<SimulatedLink> links = SimulatedCluster.this.nodes.stream()
				.map((peer) -> new SimulatedLink(SimulatedCluster.this, this, peer))
				.toList();
			this.lists = SimulatedCluster.this.layouts.lists(links);
			ClusterView clusterView = new ClusterView(this.id, this::lists, SimulatedLink.suspects(links), itsJudge,
					SimulatedCluster.this.watcher::missed);
			this.coordinator = new QuorumCoordinator(itsClock, clusterView, shape.digestAbove,
					SimulatedCluster.this.meters, this.sweep);
			SimulatedCluster.this.booted.add(this.coordinator);
		}

		PreferenceLists lists() {
			return Objects.requireNonNull(this.lists.get(this.step));
		}

		/** The ids of the first nodes that are to hold a key, as it plans now. */
		List<String> holders(Key key, int count) {
			return SimulatedLayouts.ids(lists(), key, count);
		}

		private long physicalMillis() {
			return 1_000_000_000 + TimeUnit.NANOSECONDS.toMillis(SimulatedCluster.this.nanos) + this.aheadMillis;
		}

		/** The present by its hybrid clock. */
		long nowMillis() {
			return Objects.requireNonNull(this.clock).currentMillis();
		}

		private Duration emptiedFor() {
			return Duration.ofNanos(Math.max(0, SimulatedCluster.this.nanos - this.emptiedNanos));
		}

		SkewJudge judge() {
			return Objects.requireNonNull(this.judge);
		}

		/* What it has reason to believe changes with each clock that it hears of. */
		private void checkClock() {
			if (this.judge == null) {
				return;
			}
			this.mostBelievedMillis = Math.max(this.mostBelievedMillis,
					judge().medianMillis() + SimulatedCluster.this.shape.believedMillis);
			if (Timestamp.millisOfHybrid(Objects.requireNonNull(this.clock).lastHybrid()) > this.mostBelievedMillis) {
				SimulatedCluster.this.watcher.violated(this.id + " moved its clock too far into the future");
			}
		}

		QuorumCoordinator coordinator() {
			return Objects.requireNonNull(this.coordinator);
		}

		private DeadlineSweep sweep() {
			return Objects.requireNonNull(this.sweep);
		}

		private InternodeClock carrier() {
			return Objects.requireNonNull(this.carrier);
		}

		/** What a message of it carries now. */
		Carried carried() {
			return new Carried(carrier().current(), carrier().physicalMillis());
		}

		/** Takes notice of what another node's message carries. */
		void hears(Node sender, Carried carried) {
			if (sender != this) {
				checkClock();
				judge().heard(sender.id, carried.physicalMillis());
				carrier().observe(carried.stamp());
				checkClock();
			}
		}

		/** Has it do something that ends by a deadline of the simulated time. */
		<T> T ask(Deadline deadline, BiFunction<Replica, Deadline, Mono<T>> request) {
			this.isLate = deadline.nanos() <= SimulatedCluster.this.nanos;
			Deadline real = Deadline.after(this.isLate ? Duration.ofNanos(-1) : Duration.ofHours(1));
			return Objects.requireNonNull(request.apply(Objects.requireNonNull(this.replica), real).block());
		}

		int pending() {
			return sweep().pending();
		}

	}

	/** A gate that knows, as a node does, what cannot have been lost. */
	private record Gate(Node node, Failure reason) implements ReadGate {

		@Override
		public @Nullable Failure closed() {
			return this.node.isClosed ? this.reason : null;
		}

		@Override
		public boolean mayHaveLostLaterThan(Timestamp stamp) {
			return this.node.isClosed && this.node.judge().mayHaveBeenTaken(stamp, this.node.emptiedFor());
		}

	}

	/** A deadline in virtual time. */
	Deadline deadline(Duration timeout) {
		return new Deadline(this.nanos + timeout.toNanos());
	}

}
