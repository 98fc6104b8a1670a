package io.quorate.repair.antientropy;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.clock.HybridClock;
import io.quorate.clock.NoCeiling;
import io.quorate.clock.SkewJudge;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Summary;
import io.quorate.membership.layout.Layout;
import io.quorate.replica.LocalReplica;
import io.quorate.replica.Replica;
import io.quorate.replica.ReplicaGates;
import io.quorate.replica.comparison.ComparisonStart;
import io.quorate.replica.comparison.PeerComparison;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.HeaderPage.Header;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.PageLimit;
import io.quorate.storage.ReadResult;
import io.quorate.storage.Store;
import io.quorate.storage.StoreIdentity;
import io.quorate.storage.thread.DrivenTime;
import io.quorate.storage.thread.ThreadTime;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** A node with its store in memory, in a process with others. */
final class TestNode implements AutoCloseable {

	/** A rate that limits no test. */
	static final DataSize FAST = DataSize.ofMegabytes(100);

	static final long NOW = 1_800_000_000_000L;

	private static final Ring RING = Ring.of(List.of(Member.of("a"), Member.of("b"), Member.of("c")), 3);

	final NavigableMap<Key, Entry> entries = new ConcurrentSkipListMap<>();

	final List<Agreement> agreements = new CopyOnWriteArrayList<>();

	final MeterRegistry registry = new SimpleMeterRegistry();

	final Rounds rounds = new Rounds(0);

	private final AtomicReference<Layout> layout = new AtomicReference<>(layout(Layout.FIRST));

	private final AtomicLong sequence = new AtomicLong();

	private final AtomicLong forced = new AtomicLong();

	/** Is run whenever this node takes note of the end of a round. */
	volatile Runnable onCompleted = () -> {
	};

	/** Key of which a promise keeps all entries out, {@code null} for none. */
	volatile @Nullable Key promised;

	/** Whether each look at the layout fails. */
	volatile boolean isFaulty;

	/* Instants, in nanoseconds. */
	final List<Long> faults = new CopyOnWriteArrayList<>();

	private final String id;

	private final ThreadTime time;

	private final UUID storageId = UUID.randomUUID();

	final Replica replica;

	final LocalSide own;

	private @Nullable ComparisonResponder responder;

	private final List<Runnable> open = new ArrayList<>();

	TestNode(String id, ThreadTime time) {
		this.id = id;
		this.time = time;
		SkewJudge judge = new SkewJudge(() -> NOW, () -> 0, Duration.ofSeconds(60));
		Store store = store();
		HybridClock clock = new HybridClock(() -> NOW, id.hashCode(), new NoCeiling(), 0);
		LocalReplica local = new LocalReplica(id, store, clock, () -> Runnable::run,
				new ReplicaGates(() -> null, (_, _, origin) -> this.rounds.refuses(origin), judge), this.registry);
		this.replica = local;
		this.own = new LocalSide(new SharedWithPeers(id, this::adopted), store, local, new Agreements(
				identity().storageId(), clock, this.rounds, listener(), new ComparisonMetrics(this.registry)), time);
	}

	private static Layout layout(long version) {
		return new Layout(version, List.of(), RING);
	}

	private Layout adopted() {
		if (this.isFaulty) {
			this.faults.add(this.time.nanos());
			throw new OutOfMemoryError("planted");
		}
		return this.layout.get();
	}

	/** Adopts a layout by which the same nodes are members. */
	void adopt(long version) {
		this.layout.set(layout(version));
	}

	/* Only what comparisons ask for. */
	private Store store() {
		return (Store) Proxy.newProxyInstance(Store.class.getClassLoader(), new Class<?>[] { Store.class },
				(_, method, arguments) -> switch (method.getName()) {
					case "headers" -> CompletableFuture
						.completedFuture(headers((Key) arguments[0], (Key) arguments[1], (PageLimit) arguments[2]));
					case "read" -> CompletableFuture.completedFuture(read((Key) arguments[0]));
					case "apply" -> CompletableFuture.completedFuture(apply((Key) arguments[0], (Entry) arguments[1]));
					case "durableSequence" -> this.forced.get();
					case "force" -> CompletableFuture.runAsync(this::force, Runnable::run);
					default -> throw new UnsupportedOperationException(method.getName());
				});
	}

	private void force() {
		this.forced.set(this.sequence.get());
	}

	/** Number of entries that have arrived and are not on the disk. */
	long unforced() {
		return this.sequence.get() - this.forced.get();
	}

	private HeaderPage headers(Key start, @Nullable Key end, PageLimit limit) {
		NavigableMap<Key, Entry> tail = this.entries.tailMap(start, true);
		List<Header> headers = new ArrayList<>();
		for (Map.Entry<Key, Entry> each : ((end != null) ? tail.headMap(end, false) : tail).entrySet()) {
			if (headers.size() == limit.records()) {
				return new HeaderPage(headers, each.getKey());
			}
			Entry entry = each.getValue();
			headers.add(new Header(each.getKey(), Summary.of(entry), 0));
		}
		return new HeaderPage(headers, null);
	}

	private ReadResult read(Key key) {
		Entry entry = this.entries.get(key);
		return (entry != null) ? new ReadResult.Found(entry) : ReadResult.Absent.INSTANCE;
	}

	private ApplyResult apply(Key key, Entry entry) {
		if (key.equals(this.promised)) {
			return new ApplyResult.Promised(entry.timestamp());
		}
		Entry held = this.entries.merge(key, entry, Entry::merge);
		return held.equals(entry) ? new ApplyResult.Applied(this.sequence.incrementAndGet())
				: new ApplyResult.Superseded(held.timestamp(), true);
	}

	void put(Key key, Entry entry) {
		apply(key, entry);
	}

	private StoreIdentity identity() {
		return new StoreIdentity() {

			@Override
			public UUID storageId() {
				return TestNode.this.storageId;
			}

			@Override
			public boolean isNew() {
				return false;
			}

			@Override
			public void settle() {
				// Is settled.
			}

		};
	}

	private AgreementListener listener() {
		return new AgreementListener() {

			@Override
			public void completed(Agreement agreement) {
				TestNode.this.onCompleted.run();
				TestNode.this.agreements.add(agreement);
			}

		};
	}

	ComparisonStart note() {
		return this.own.note();
	}

	/** What answers the peers of this node. */
	ComparisonResponder responder() {
		if (this.responder == null) {
			this.responder = new ComparisonResponder(this.own);
			this.open.add(this.responder::close);
		}
		return Objects.requireNonNull(this.responder);
	}

	/** This node as another one sees it, which it answers at once. */
	ComparisonPeer seenBy(TestNode other) {
		return new ComparisonPeer(answersTo(other), this.replica, () -> 0);
	}

	/** The answers of this node to another one, without threads. */
	PeerComparison answersTo(TestNode other) {
		var _ = this.own.agreements().metrics().add(other.id);
		return new DrivenComparisons.Answers(this.own, other.id);
	}

	/** Begins to lead comparisons, without a thread. */
	AntiEntropy lead(Duration interval, ComparisonPeer... peers) {
		return lead(new ComparisonProperties(true, interval, FAST, 1, FAST, 1), peers);
	}

	AntiEntropy lead(ComparisonProperties properties, ComparisonPeer... peers) {
		AntiEntropy leading = new AntiEntropy(this.own, properties);
		for (ComparisonPeer peer : peers) {
			leading.add(peer);
		}
		leading.begin();
		return leading;
	}

	/** Whether the thread of a node waits for a comparison to be due. */
	static boolean isThreadWaiting() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.anyMatch((its) -> its.getName().equals("anti-entropy") && its.getState() == Thread.State.TIMED_WAITING);
	}

	/** Lets time pass until a comparison is due, and runs it. */
	static void turn(AntiEntropy leading, DrivenTime time) {
		leading.turn(() -> {
			ComparisonTask next = leading.next();
			if (next != null) {
				time.passUntil(next.dueNanos());
			}
			return next;
		});
	}

	@Override
	public void close() {
		this.open.reversed().forEach(Runnable::run);
	}

}
