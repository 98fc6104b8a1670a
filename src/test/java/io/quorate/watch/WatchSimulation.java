package io.quorate.watch;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.coordinator.PreferenceLists;
import io.quorate.coordinator.ReadOutcome;
import io.quorate.coordinator.RefusedException;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Lineage;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Summary;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import io.quorate.replica.ChangesReply;
import io.quorate.replica.ChangesRequest;
import io.quorate.replica.Failure;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Origin;
import io.quorate.replica.PageReply;
import io.quorate.replica.PageRequest;
import io.quorate.replica.ReadReply;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import io.quorate.storage.Arrivals;
import io.quorate.storage.HeaderPage;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/**
 * A cluster, writers of some keys, and clients that watch them at one node after another,
 * in one thread and by its own time. Nodes are killed, frozen, cut off, or lose their
 * directory; a restarted node may have lost what it had not on the disk. A judge knows
 * which write was acknowledged when.
 */
final class WatchSimulation {

	private static final long EPOCH_MILLIS = 1_800_000_000_000L;

	private static final long MILLI = 1_000_000;

	private static final int KEYS = 24;

	/* Of shapes that purge deletions. */
	private static final int GRACE_MILLIS = 4000;

	private final Random random;

	private final Shape shape;

	private final PriorityQueue<Task> tasks = new PriorityQueue<>(
			Comparator.comparingLong(Task::nanos).thenComparingLong(Task::order));

	private long nanos;

	private long order;

	private final List<Node> nodes = new ArrayList<>();

	private final List<Watcher> watchers = new ArrayList<>();

	private final WatchedHistory history;

	/* The last entry of each key that was purged: nothing as old is stored any more. */
	private final Map<Key, Timestamp> purged = new HashMap<>();

	/* The instant of the last write of each key. */
	private final Map<Key, Long> written = new HashMap<>();

	private @Nullable String failure;

	private boolean isCalm;

	/**
	 * The form of a simulation.
	 *
	 * @param members number of nodes, all of which hold each key
	 * @param losesDirectories whether a node may lose its directory
	 * @param losesTails whether a node may lose what it has stored last
	 * @param isSlow whether some clients take their time, and few events wait for them
	 * @param purges whether deletions are purged soon, and clients rest for as long
	 * @param backlog writes before the first watch
	 */
	record Shape(int members, boolean losesDirectories, boolean losesTails, boolean isSlow, boolean purges,
			int backlog) {

		private Surroundings.Bounds bounds() {
			int events = this.isSlow ? 8 : Watch.MOST_EVENTS;
			return new Surroundings.Bounds(events, 300L * events);
		}

	}

	private record Task(long nanos, long order, Runnable run) {
	}

	WatchSimulation(Shape shape, long seed) {
		this.shape = shape;
		this.random = new Random(seed);
		this.history = new WatchedHistory(majority());
		for (int i = 1; i <= shape.members(); i++) {
			this.nodes.add(new Node("n" + i, i));
		}
		this.nodes.forEach(Node::start);
	}

	/** Runs faults and writes for a time, then ends the faults, and judges. */
	void run(int seconds) {
		for (int i = 0; i < this.shape.backlog(); i++) {
			write();
			pass(this.random.nextInt(3));
		}
		for (int i = 0; i < 4; i++) {
			Watcher watcher = new Watcher("w" + i, i);
			this.watchers.add(watcher);
			watcher.connect();
		}
		long end = this.nanos + TimeUnit.SECONDS.toNanos(seconds);
		every(20, () -> !this.isCalm, this::write);
		every(700, () -> !this.isCalm, this::fault);
		every(900, () -> !this.isCalm, () -> any(this.watchers).move());
		every(300, () -> this.shape.purges(), this::purge);
		passUntil(end);
		this.isCalm = true;
		this.nodes.forEach(Node::heal);
		pass(60_000);
		judgeEnd();
		if (this.failure != null) {
			throw new AssertionError(this.failure);
		}
	}

	private void at(long when, Runnable run) {
		this.tasks.add(new Task(Math.max(when, this.nanos), this.order++, run));
	}

	private void in(long millis, Runnable run) {
		at(this.nanos + millis * MILLI + 1000, run);
	}

	private void every(int millis, Supplier<Boolean> isOn, Runnable run) {
		in(1 + this.random.nextInt(2 * millis), () -> {
			if (isOn.get()) {
				run.run();
				every(millis, isOn, run);
			}
		});
	}

	private void pass(long millis) {
		passUntil(this.nanos + millis * MILLI);
	}

	private void passUntil(long end) {
		while (!this.tasks.isEmpty() && this.tasks.peek().nanos() <= end) {
			Task task = this.tasks.remove();
			this.nanos = task.nanos();
			task.run().run();
			if (this.failure != null) {
				throw new AssertionError(this.failure);
			}
		}
		this.nanos = end;
	}

	private <T> T any(List<T> all) {
		return all.get(this.random.nextInt(all.size()));
	}

	private long millis() {
		return EPOCH_MILLIS + this.nanos / MILLI;
	}

	private long delay() {
		return this.random.nextInt(20) == 0 ? 50 + this.random.nextInt(400) : 1 + this.random.nextInt(4);
	}

	private void write() {
		Key key = Key.of("key-%02d".formatted(this.random.nextInt(KEYS)));
		Node coordinator = any(this.nodes);
		Timestamp stamp = new Timestamp(Timestamp.hybridOfMillis(millis()) + this.random.nextInt(1000),
				coordinator.number);
		int kind = this.random.nextInt(11);
		Entry entry;
		Entry before = winner(key, this.nodes);
		if (kind == 10) {
			// A round carries on what is held, if anything, under a later timestamp.
			if (this.nanos - this.written.getOrDefault(key, 0L) < 6000 * MILLI) {
				return;
			}
			entry = (before != null) ? before.at(stamp)
					: new Entry.Tombstone(stamp, Entry.ALL, new Lineage(Timestamp.ZERO, null));
		}
		else if (kind < 2) {
			entry = new Entry.Tombstone(stamp, Entry.ALL, null);
		}
		else {
			long expiry = (kind == 2) ? millis() + 500 + this.random.nextInt(3000) : Versioned.NEVER;
			entry = new Entry.Live(stamp, Entry.ALL, expiry,
					Value.wrap(stamp.toString().getBytes(StandardCharsets.UTF_8)), null, null);
		}
		this.written.put(key, this.nanos);
		boolean isHalf = this.random.nextInt(12) == 0;
		Set<Node> acks = new HashSet<>();
		for (Node node : this.nodes) {
			if (isHalf && node != coordinator) {
				continue;
			}
			if (this.random.nextInt(15) == 0) {
				// The write misses the node, and a hint brings it.
				in(300 + this.random.nextInt(4000), () -> node.take(key, entry, () -> {
				}));
				continue;
			}
			if (coordinator.isCutFrom(node)) {
				continue;
			}
			in(delay(), () -> node.take(key, entry, () -> {
				acks.add(node);
				if (acks.size() == majority()) {
					this.history.acknowledged(key, entry, millis());
				}
			}));
		}
	}

	/* What no value follows, and all nodes hold, leaves nothing behind after a time. */
	private void purge() {
		for (Key key : List.copyOf(this.written.keySet())) {
			Entry last = winner(key, this.nodes);
			if (last != null && last.isAbsentAt(millis() - GRACE_MILLIS)
					&& last.timestamp().millis() <= millis() - GRACE_MILLIS
					&& this.nodes.stream().allMatch((node) -> node.holds(key, last.timestamp()))) {
				this.purged.put(key, last.timestamp());
				this.nodes.forEach((node) -> node.stored.remove(key));
			}
		}
	}

	private int majority() {
		return this.shape.members() / 2 + 1;
	}

	private void fault() {
		Node node = any(this.nodes);
		long millis = 200L + this.random.nextInt(this.shape.purges() ? 2 * GRACE_MILLIS : 3000);
		switch (this.random.nextInt(this.shape.losesDirectories() ? 5 : 4)) {
			case 0 -> {
				if (downs() == 0) {
					node.kill();
					in(millis, node::start);
				}
			}
			case 1 -> {
				node.frozenUntil = this.nanos + millis * MILLI;
			}
			case 2 -> {
				Node other = any(this.nodes);
				node.cutFrom.add(other);
				other.cutFrom.add(node);
				in(millis, () -> {
					node.cutFrom.remove(other);
					other.cutFrom.remove(node);
				});
			}
			case 3 -> node.isOverrun = true;
			default -> {
				if (downs() == 0) {
					node.kill();
					node.stored.clear();
					node.isRebuilt = true;
					in(millis, node::start);
				}
			}
		}
	}

	private long downs() {
		return this.nodes.stream().filter((node) -> node.isDown || node.isRebuilt).count();
	}

	/** The value that a majority shows, by the versions of all nodes. */
	private @Nullable Entry winner(Key key, Collection<Node> among) {
		Entry winner = null;
		for (Node node : among) {
			Stored stored = node.stored.get(key);
			if (stored != null && (winner == null || stored.entry.timestamp().isAfter(winner.timestamp()))) {
				winner = stored.entry;
			}
		}
		return winner;
	}

	private void judgeEnd() {
		for (Watcher watcher : this.watchers) {
			for (int i = 0; i < KEYS; i++) {
				Key key = Key.of("key-%02d".formatted(i));
				Entry winner = winner(key, this.nodes);
				boolean isThere = winner != null && !Feed.isOfNothing(winner);
				String fault = watcher.state.fault(key, isThere ? winner : null, millis());
				check(fault == null, () -> String.valueOf(fault));
			}
			check(watcher.isLive, () -> watcher.name + " is not live at the end");
		}
	}

	/* A failure within a subscriber would be taken for one of its stream. */
	private void check(boolean holds, Supplier<String> otherwise) {
		if (!holds && this.failure == null) {
			this.failure = otherwise.get();
		}
	}

	/** An entry in a node's store. */
	private record Stored(Entry entry, long sequence) {
	}

	/** A node: a replica of every key, and a place to watch. */
	private final class Node {

		private final String id;

		private final int number;

		private final NavigableMap<Key, Stored> stored = new TreeMap<>();

		private final Set<Node> cutFrom = new HashSet<>();

		private long sequence;

		private Arrivals arrivals = new Arrivals(0, () -> WatchSimulation.this.nanos,
				() -> WatchSimulation.this.random.nextLong());

		private boolean isDown = true;

		private boolean isRebuilt;

		private boolean isOverrun;

		private long frozenUntil;

		private int life;

		private @Nullable Watches watches;

		private Node(String id, int number) {
			this.id = id;
			this.number = number;
		}

		private void start() {
			if (!this.isDown) {
				return;
			}
			this.isDown = false;
			this.life++;
			this.arrivals = new Arrivals(this.sequence, () -> WatchSimulation.this.nanos,
					() -> WatchSimulation.this.random.nextLong());
			int its = this.life;
			PreferenceLists lists = new AllHold(
					WatchSimulation.this.nodes.stream().<Replica>map((node) -> new Link(this, node)).toList());
			Surroundings surroundings = new Surroundings(
					() -> lists, this::read, this::work, new Surroundings.Clocks(() -> WatchSimulation.this.nanos,
							WatchSimulation.this::millis, WatchSimulation.this::millis),
					() -> 7, WatchSimulation.this.shape.bounds());
			Watches made = new Watches(surroundings,
					WatchSimulation.this.shape.purges() ? Duration.ofMillis(GRACE_MILLIS) : Duration.ofDays(10),
					Duration.ZERO, new WatchMetrics(new SimpleMeterRegistry()));
			this.watches = made;
			every(50, () -> this.life == its && !this.isDown, () -> work(() -> {
				this.arrivals.tick();
				made.tick();
			}));
			if (this.isRebuilt) {
				in(500 + WatchSimulation.this.random.nextInt(1000), () -> rebuild(its));
			}
		}

		private void rebuild(int its) {
			if (this.life != its || this.isDown) {
				return;
			}
			List<Node> sources = WatchSimulation.this.nodes.stream()
				.filter((node) -> node != this && !node.isDown && !node.isRebuilt)
				.toList();
			if (sources.size() < WatchSimulation.this.nodes.size() - 1) {
				in(200, () -> rebuild(its));
				return;
			}
			this.arrivals.renew();
			for (int i = 0; i < KEYS; i++) {
				Key key = Key.of("key-%02d".formatted(i));
				Entry winner = winner(key, sources);
				if (winner != null) {
					store(key, winner);
				}
			}
			this.isRebuilt = false;
		}

		private void kill() {
			this.isDown = true;
			this.life++;
			this.watches = null;
			if (WatchSimulation.this.shape.losesTails() && WatchSimulation.this.random.nextBoolean()) {
				long kept = this.sequence - WatchSimulation.this.random.nextInt(4);
				this.stored.entrySet()
					.removeIf((each) -> each.getValue().sequence() > kept
							&& isHeldByOthers(each.getKey(), each.getValue().entry()));
				if (this.stored.values().stream().noneMatch((each) -> each.sequence() > kept)) {
					this.sequence = kept;
				}
			}
			WatchSimulation.this.watchers.forEach((watcher) -> watcher.lost(this));
		}

		/* What only a killed node has held would be lost for good. */
		private boolean isHeldByOthers(Key key, Entry entry) {
			return WatchSimulation.this.nodes.stream()
				.filter((node) -> node != this && node.holds(key, entry.timestamp()))
				.count() >= majority();
		}

		private boolean holds(Key key, Timestamp timestamp) {
			Stored its = this.stored.get(key);
			return its != null && its.entry.timestamp().equals(timestamp);
		}

		private void heal() {
			this.cutFrom.clear();
			this.frozenUntil = 0;
			this.isOverrun = false;
			if (this.isDown) {
				start();
			}
		}

		private boolean isCutFrom(Node other) {
			return this.isDown || other.isDown || this.cutFrom.contains(other);
		}

		/* Work of the node waits while it is frozen, and goes with its process. */
		private void work(Runnable run) {
			int its = this.life;
			at(Math.max(WatchSimulation.this.nanos, this.frozenUntil), () -> {
				if (this.life == its) {
					if (this.frozenUntil > WatchSimulation.this.nanos) {
						work(run);
					}
					else {
						run.run();
					}
				}
			});
		}

		private void take(Key key, Entry entry, Runnable ack) {
			if (!this.isDown) {
				work(() -> {
					store(key, entry);
					ack.run();
				});
			}
		}

		private void store(Key key, Entry entry) {
			Stored before = this.stored.get(key);
			if (!entry.timestamp().isAfter(WatchSimulation.this.purged.getOrDefault(key, Timestamp.ZERO))) {
				return;
			}
			if (before == null || entry.timestamp().isAfter(before.entry().timestamp())) {
				this.sequence++;
				this.stored.put(key, new Stored(entry, this.sequence));
				WatchSimulation.this.history.stored(key, entry, this.id, millis());
				long number = this.sequence;
				this.arrivals.arrived(number, () -> List.of(new Arrivals.Name(key, number, Summary.of(entry),
						WatchSimulation.this.random.nextInt(50) != 0)));
			}
		}

		private Mono<ChangesReply> changes(Node asking, ChangesRequest request, Deadline deadline) {
			return asked(asking, deadline, (reply) -> {
				boolean isOverrunNow = this.isOverrun && request.after() != Arrivals.NOW;
				this.isOverrun &= !isOverrunNow;
				Arrivals.Page page = isOverrunNow ? new Arrivals.Page(List.of(),
						this.arrivals.after(0, Arrivals.NOW, request.ranges(), 1).epoch(), this.sequence, true, false)
						: this.arrivals.after(request.epoch(), request.after(), request.ranges(), 4);
				boolean isNow = request.after() == Arrivals.NOW || page.isGap() || !page.names().isEmpty();
				if (isNow) {
					reply.accept(new ChangesReply.Changes(page));
					return;
				}
				var _ = this.arrivals.await(page, request.ranges(),
						WatchSimulation.this.nanos + request.waitMillis() * MILLI,
						() -> work(() -> reply.accept(new ChangesReply.Changes(
								this.arrivals.after(request.epoch(), request.after(), request.ranges(), 4)))));
			}, new ChangesReply.Failed(new Failure(Reason.TIMEOUT, "silent")),
					new ChangesReply.Failed(new Failure(Reason.REBUILDING, "rebuilt")));
		}

		private Mono<PageReply> page(Node asking, PageRequest request, Deadline deadline) {
			return asked(asking, deadline, (reply) -> {
				List<HeaderPage.Header> headers = new ArrayList<>();
				ScanRange range = request.range();
				Key next = null;
				for (Map.Entry<Key, Stored> each : this.stored.tailMap(range.start(), true).entrySet()) {
					if (range.isPassedBy(each.getKey())) {
						break;
					}
					if (headers.size() == 3) {
						next = each.getKey();
						break;
					}
					boolean isPurged = WatchSimulation.this.shape.members() == 1
							&& each.getValue().entry().isTombstone();
					if (each.getValue().sequence() > request.above() && !isPurged) {
						headers.add(new HeaderPage.Header(each.getKey(), Summary.of(each.getValue().entry()),
								each.getValue().sequence()));
					}
				}
				reply.accept(new PageReply.Headers(new HeaderPage(headers, next)));
			}, new PageReply.Failed(new Failure(Reason.TIMEOUT, "silent")),
					new PageReply.Failed(new Failure(Reason.REBUILDING, "rebuilt")));
		}

		/* The way there and back takes time, and a cut loses what is on it. */
		private <R> Mono<R> asked(Node asking, Deadline deadline, Consumer<Consumer<R>> work, R silent, R rebuilt) {
			return Mono.create((sink) -> {
				boolean[] isOver = { false };
				Consumer<R> over = (reply) -> {
					if (!isOver[0]) {
						isOver[0] = true;
						sink.success(reply);
					}
				};
				at(deadline.nanos(), () -> over.accept(silent));
				if (asking != this && asking.isCutFrom(this)) {
					in(delay(), () -> over.accept(silent));
					return;
				}
				long way = (asking == this) ? WatchSimulation.this.random.nextInt(2) : delay();
				in(way, () -> this.work(() -> {
					if (this.isRebuilt) {
						over.accept(rebuilt);
						return;
					}
					work.accept((reply) -> in(way, () -> {
						if (asking == this || !asking.isCutFrom(this)) {
							over.accept(reply);
						}
					}));
				}));
			});
		}

		/* Asks a majority or all, repairs, and answers what it has found. */
		private Mono<ReadOutcome> read(Key key, boolean isOfAll) {
			int needed = isOfAll ? WatchSimulation.this.nodes.size() : majority();
			return Mono.create((sink) -> {
				List<Node> reached = new ArrayList<>(WatchSimulation.this.nodes.stream()
					.filter((node) -> !node.isRebuilt && (node == this || !isCutFrom(node)))
					.toList());
				java.util.Collections.shuffle(reached, WatchSimulation.this.random);
				if (reached.size() < needed) {
					in(300, () -> sink.error(new IllegalStateException("no majority")));
					return;
				}
				List<Node> quorum = reached.subList(0, needed);
				in(delay(), () -> {
					if (quorum.stream().anyMatch((node) -> node.isDown || node.isRebuilt)) {
						in(300, () -> sink.error(new IllegalStateException("no majority")));
						return;
					}
					Entry winner = winner(key, quorum);
					if (winner != null) {
						quorum.forEach((node) -> node.store(key, winner));
					}
					boolean isAbsent = winner == null || winner.isAbsentAt(millis());
					in(delay(),
							() -> sink
								.success((winner instanceof Entry.Live live && !isAbsent) ? new ReadOutcome.Found(live)
										: new ReadOutcome.Missing((winner != null) ? winner.version() : null)));
				});
			});
		}

		@Override
		public String toString() {
			return this.id;
		}

	}

	/** A node as another one reaches it. */
	private record Link(Node from, Node to) implements Replica {

		@Override
		public String nodeId() {
			return this.to.id;
		}

		@Override
		public Mono<WriteReply> apply(Key key, Entry entry, Origin origin, Deadline deadline) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Mono<ReadReply> read(Key key, int maxValueBytes, Deadline deadline) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Mono<ChangesReply> changes(ChangesRequest request, Deadline deadline) {
			return this.to.changes(this.from, request, deadline);
		}

		@Override
		public Mono<PageReply> page(PageRequest request, Deadline deadline) {
			return this.to.page(this.from, request, deadline);
		}

	}

	/** A client that watches, and goes on at another node now and then. */
	private final class Watcher {

		private final String name;

		private final ScanRange range;

		private final WatchedState state;

		private final boolean isSlow;

		private @Nullable WatchCursor cursor;

		private @Nullable Node node;

		private @Nullable Disposable watching;

		private int connection;

		private boolean isLive;

		private Watcher(String name, int number) {
			this.name = name;
			this.isSlow = WatchSimulation.this.shape.isSlow() && number >= 2;
			this.range = switch (number) {
				case 1 -> ScanRange.only(Key.of("key-03"));
				case 2 -> ScanRange.ascending(Key.of("key-05"), Key.of("key-15"));
				default -> ScanRange.ascending(Key.of("key-"), Key.of("key."));
			};
			boolean isFromStart = number % 2 == 0;
			this.cursor = isFromStart ? WatchCursor.START : null;
			this.state = new WatchedState(name, this.range, WatchSimulation.this.history, isFromStart,
					WatchSimulation.this::check);
		}

		private void connect() {
			List<Node> up = WatchSimulation.this.nodes.stream().filter((each) -> !each.isDown).toList();
			int its = ++this.connection;
			if (up.isEmpty()) {
				in(100, () -> reconnect(its));
				return;
			}
			Node at = any(up);
			this.node = at;
			this.isLive = false;
			if (this.cursor == null || this.cursor.equals(WatchCursor.START)) {
				// It has nothing to go on from.
				this.state.begin();
			}
			Watches watches = at.watches;
			if (watches == null) {
				in(100, () -> reconnect(its));
				return;
			}
			WatchTerms terms = new WatchTerms(this.range, reparsed(this.cursor), false, true, "somebody", () -> true);
			Taking taking = new Taking(its);
			watches.watch(terms).subscribe(taking);
			this.watching = taking;
		}

		private @Nullable WatchCursor reparsed(@Nullable WatchCursor its) {
			return (its != null) ? WatchCursor.parse(its.toText()).orElseThrow() : null;
		}

		private void reconnect(int its) {
			if (this.connection == its) {
				connect();
			}
		}

		private void move() {
			Disposable former = this.watching;
			this.connection++;
			if (former != null) {
				former.dispose();
			}
			if (WatchSimulation.this.shape.purges() && WatchSimulation.this.random.nextInt(4) == 0) {
				int its = this.connection;
				in(WatchSimulation.this.random.nextInt(2 * GRACE_MILLIS), () -> reconnect(its));
				return;
			}
			connect();
		}

		private void lost(Node gone) {
			if (this.node == gone) {
				move();
			}
		}

		private void take(WatchBatch batch) {
			for (WatchEvent each : batch.events()) {
				switch (each) {
					case WatchEvent.OfKey event -> {
						this.state.learns(event);
					}
					case WatchEvent.Live live -> {
						this.isLive = true;
						this.state.isLive(live.asOfMillis(), millis(),
								(key) -> winner(key, WatchSimulation.this.nodes));
					}
					case WatchEvent.Stalled _ -> {
						this.isLive = false;
					}
					case WatchEvent.Reset _ -> {
						this.state.reset();
					}
					case WatchEvent.End _, WatchEvent.Quiet _ -> {
					}
				}
			}
			if (batch.cursor() != null) {
				this.cursor = batch.cursor();
			}
		}

		/** The subscription of one connection. */
		private final class Taking extends reactor.core.publisher.BaseSubscriber<WatchBatch> {

			private final int its;

			private Taking(int its) {
				this.its = its;
			}

			@Override
			protected void hookOnSubscribe(org.reactivestreams.Subscription subscription) {
				subscription.request(1);
			}

			@Override
			protected void hookOnNext(WatchBatch batch) {
				if (Watcher.this.connection != this.its) {
					return;
				}
				take(batch);
				long pause = Watcher.this.isSlow ? WatchSimulation.this.random.nextInt(800) : 0;
				in(pause, () -> request(1));
			}

			@Override
			protected void hookOnError(Throwable failure) {
				check(failure instanceof RefusedException, () -> "a watch has failed: " + failure);
				in(100, () -> reconnect(this.its));
			}

			@Override
			protected void hookOnComplete() {
				in(100, () -> reconnect(this.its));
			}

		}

	}

}
