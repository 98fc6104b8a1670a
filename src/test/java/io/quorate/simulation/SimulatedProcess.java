package io.quorate.simulation;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import io.quorate.clock.Deadline;
import io.quorate.clock.HybridClock;
import io.quorate.clock.NoCeiling;
import io.quorate.clock.SkewJudge;
import io.quorate.clock.Timestamp;
import io.quorate.clock.TrueTime;
import io.quorate.coordinator.DrivenCoordinator;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.internode.context.InternodeClock;
import io.quorate.membership.agreement.DrivenMember;
import io.quorate.membership.agreement.KeyShares;
import io.quorate.membership.agreement.LayoutAgreement;
import io.quorate.membership.exchange.DrivenLayouts;
import io.quorate.membership.exchange.LayoutExchange;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutFollower;
import io.quorate.membership.layout.LayoutReport;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.MemberState;
import io.quorate.repair.antientropy.CopyObserver;
import io.quorate.repair.antientropy.DrivenComparisons;
import io.quorate.repair.antientropy.Rounds;
import io.quorate.repair.comparison.ComparisonFailedException;
import io.quorate.repair.move.DrivenMove;
import io.quorate.repair.move.GainedKeys;
import io.quorate.repair.purge.DrivenPurges;
import io.quorate.repair.rebuild.DrivenArrivals;
import io.quorate.repair.record.Horizon;
import io.quorate.replica.ArrivalFilter;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.FencedReplica;
import io.quorate.replica.LayoutFence;
import io.quorate.replica.LocalReplica;
import io.quorate.replica.Origin;
import io.quorate.replica.ReadGate;
import io.quorate.replica.DrivenRegister;
import io.quorate.replica.PrepareReply;
import io.quorate.replica.Proposal;
import io.quorate.replica.Replica;
import io.quorate.replica.ReplicaGates;
import io.quorate.replica.Replicas;
import io.quorate.simulation.SimulatedNode.Directory;
import io.quorate.storage.Promise;
import io.quorate.storage.ShareChange;
import io.quorate.storage.Store;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A process of a node, made of the parts of the product: what it has in memory ends with
 * it.
 */
final class SimulatedProcess {

	private static final Duration KEEP_ALIVE = Duration.ofMillis(500);

	private static final Duration SILENCE = Duration.ofSeconds(3);

	/* Distinguishes random numbers from others of the same time. */
	private static final int EPOCHS = 9973;

	private final SimulatedCluster cluster;

	private final SimulatedNode node;

	private final Directory directory;

	private final SimulatedStore store;

	private final SimulatedThread thread;

	private final DrivenMember member;

	private final DrivenLayouts drivenLayouts;

	private final LayoutAgreement agreement;

	private final HybridClock clock;

	private final SkewJudge judge;

	private final TrueTime trueTime;

	private final InternodeClock carrier;

	private final ReplicaGates gates;

	private final Replica fenced;

	private final LayoutFence fence;

	private final DrivenCoordinator coordinator;

	private final Runnable settling;

	private final DrivenPurges purges;

	private final Horizon horizon;

	private final DrivenArrivals arrivals;

	private final DrivenComparisons comparisons;

	private final DrivenMove move;

	private final RepairWork repair;

	/* Instants at which peers were heard last. */
	private final Map<String, Long> heard = new HashMap<>();

	/* Ids of the nodes that this one connects to. */
	private final Set<String> peers = new HashSet<>();

	/* What peers have reported last. */
	private final Map<String, LayoutReport> reports = new HashMap<>();

	/* The processes of peers that this one is connected to. */
	private final Map<String, SimulatedProcess> connected = new HashMap<>();

	private final long startedNanos;

	private boolean hasReachedOthers;

	private boolean isBuilt;

	private boolean isDead;

	private boolean isLate;

	/* In simulated time, that of the write that is handed over now. */
	private Deadline takenOverUntil = new Deadline(0);

	/** The values of a sender's clocks that a message carries. */
	record Carried(String sender, Timestamp stamp, long physicalMillis) {
	}

	/** Starts a process over the directory of a node. */
	SimulatedProcess(SimulatedCluster cluster, SimulatedNode node) {
		this.cluster = cluster;
		this.node = node;
		this.directory = node.directory();
		SimulatedTime time = cluster.time();
		this.startedNanos = time.nanos();
		this.thread = new SimulatedThread(time);
		Random disk = cluster.weather().random(time.nanos() * 31 + node.number());
		this.store = new SimulatedStore(time, this.directory.tables, cluster.weather(), disk,
				cluster.weather().at(time.nanos(), EPOCHS + node.number())::nextLong, cluster.judge()::stored);
		this.judge = new SkewJudge(node::physicalMillis, time::nanos, cluster.weather().believed);
		this.trueTime = new TrueTime(node::physicalMillis, node::bootNanos);
		this.clock = new HybridClock(this.judge::believedMillis, node.number(), new NoCeiling(),
				this.directory.ceiling);
		this.carrier = InternodeClock.of(this.clock, this.judge, node::physicalMillis);
		this.member = new DrivenMember(node.id(), cluster.configured(), this.directory.identity, time::nanos,
				cluster.bug() == PlantedBug.STARTS_BEHIND);
		this.member.membership().onMajority(this.directory.identity::settle);
		this.agreement = this.member.agreement(node.ledger(this.member.first()), shares(),
				cluster.bug() == PlantedBug.NO_BARRIER);
		GainedKeys gained = new GainedKeys(layouts());
		layouts().follow(gained);
		this.horizon = this.directory.horizon.open();
		this.purges = new DrivenPurges(layouts(), this.horizon,
				new DrivenPurges.Time(cluster.weather().grace, cluster.weather().longestTimeout,
						this.clock::currentMillis, time::nanos),
				new DrivenPurges.Faults(cluster.bug() == PlantedBug.PURGE_OLD, cluster.bug() == PlantedBug.KEEP_MARKS),
				cluster.records("none"));
		this.store.purgeBy(this.purges.policy());
		Rounds rounds = new Rounds(this.clock.currentHybrid());
		this.arrivals = new DrivenArrivals(new DrivenArrivals.Node(node.records(), layouts(), this.member.membership(),
				this.purges.permission(), this.horizon, rounds, (cluster.bug() == PlantedBug.GAINER_HINTS)
						? new GainedKeys(new Layouts(id(), layouts().configured())) : gained,
				this.judge, this.clock::currentMillis));
		SkewJudge believer = new SkewJudge(node::physicalMillis, time::nanos, Duration.ofDays(1));
		this.gates = new ReplicaGates(gate(), new JudgedArrivals(),
				(cluster.bug() == PlantedBug.BELIEVES_ALL) ? believer : this.judge);
		LocalReplica local = new LocalReplica(id(), this.store, this.clock, () -> Runnable::run, this.gates,
				cluster.meters());
		this.drivenLayouts = new DrivenLayouts(this.member, this.agreement, local.underWay(), this.store, this.thread,
				cluster.bug() == PlantedBug.NO_BARRIER);
		this.fence = PlantedFence.of(cluster.bug(), this.drivenLayouts.fence());
		this.fenced = new FencedReplica(local, this.fence, local.underWay());
		this.coordinator = new DrivenCoordinator(
				new DrivenCoordinator.Node(this.clock, this.judge, this.trueTime, layouts(), this.member.membership(),
						new Replicas(new PeerLink(cluster, this, node), () -> cluster.links(this, layouts())),
						this::missed, cluster.weather().digestAbove, cluster.meters(), time::nanos, this.thread),
				PlantedFence.planned(cluster.bug()));
		local.runHandovers((key, write, _) -> this.coordinator.handedOver(key, write, this.takenOverUntil));
		this.settling = this.coordinator.settling(this::leftPromises,
				(promise) -> this.store.release(promise.key(), promise.ballot()), cluster.weather().longestTimeout);
		Store awaited = this.store.awaited(this::awaitIt);
		this.comparisons = new DrivenComparisons(new DrivenComparisons.Node(layouts(), awaited, this.directory.identity,
				new ComparisonLink.Awaited(cluster, this, this.fenced), this.clock, rounds, this.purges.agreements()));
		boolean isWithoutHorizon = cluster.bug() == PlantedBug.NO_HORIZON;
		this.move = new DrivenMove(
				new DrivenMove.Node(layouts(), this.member.reports(), gained, this.horizon, this.store, time::nanos,
						this.drivenLayouts.progress()),
				(peer, observer) -> fetch(peer, observer).thenApply((purged) -> isWithoutHorizon ? 0L : purged),
				(peer) -> PlantedFence.isCopied(cluster.bug(), layouts().current(), id(), peer),
				cluster.bug() == PlantedBug.COPY_EARLY || cluster.bug() == PlantedBug.NO_BARRIER);
		this.repair = new RepairWork(cluster, this);
		layouts().follow(new LayoutFollower() {

			@Override
			public void joins(Endpoint peer) {
				SimulatedProcess.this.peers.add(peer.id());
			}

			@Override
			public void adopted(Layout now) {
				cluster.judge().adopted(id(), now);
			}

			@Override
			public void left(String peer) {
				SimulatedProcess.this.peers.remove(peer);
				SimulatedProcess.this.directory.hints.removeIf((owed) -> owed.node().equals(peer));
			}

		});
		cluster.judge().adopted(id(), layouts().current());
		this.isBuilt = true;
	}

	void missed(Key key, Entry entry, String peer) {
		if (this.cluster.bug() != PlantedBug.FORGETS_MISSES) {
			this.cluster.judge().missed(key, entry, peer);
		}
		if (!this.cluster.weather().hints.isZero()) {
			this.directory.hints.add(new SimulatedNode.Owed(peer, key, entry, this.cluster.time().nanos()));
		}
	}

	/* A crash may come before or after the floors are durable. */
	private KeyShares shares() {
		KeyShares real = DrivenMember.shares(this.store, this.directory.identity);
		return new KeyShares() {

			@Override
			public void assign(ShareChange change) throws java.io.IOException {
				SimulatedProcess.this.node.mayCrash();
				real.assign(change);
				SimulatedProcess.this.node.mayCrash();
			}

			@Override
			public boolean isNew() {
				return real.isNew();
			}

			@Override
			public void admitted() {
				requireRefusal();
				real.admitted();
			}

			@Override
			public boolean hasHeld() {
				return real.hasHeld();
			}

		};
	}

	/*
	 * A request that comes now would meet a directory that is new yet. It is refused as
	 * stale where the node starts behind its peers.
	 */
	private void requireRefusal() {
		if (this.isBuilt) {
			Failure refusal = this.drivenLayouts.fence().refuses(layouts().current().version(), null);
			if (refusal == null || !refusal.reason().isOfLayout()) {
				this.cluster.judge().violated("%s: %s before it has admitted its directory".formatted(id(), refusal));
			}
		}
	}

	private ReadGate gate() {
		return new ReadGate() {

			@Override
			public @Nullable Failure closed() {
				boolean isClosed = SimulatedProcess.this.cluster.bug() != PlantedBug.OPEN_GATE
						&& (SimulatedProcess.this.member.membership().isRebuilding()
								|| (SimulatedProcess.this.directory.identity.isNew()
										&& !SimulatedProcess.this.member.membership().hasMetMajority()));
				return isClosed ? PeerLink.failure(Reason.REBUILDING) : null;
			}

			@Override
			public boolean mayHaveLostLaterThan(Timestamp stamp) {
				return closed() != null && SimulatedProcess.this.judge.mayHaveBeenTaken(stamp, Duration
					.ofNanos(SimulatedProcess.this.cluster.time().nanos() - SimulatedProcess.this.startedNanos));
			}

		};
	}

	private void awaitIt(Future<?> future) {
		this.cluster.time().await(future, () -> !this.isDead);
		if (!future.isDone()) {
			throw new ComparisonFailedException(PeerLink.failure(Reason.DRAINING));
		}
	}

	/** Begins to work: all that it does by itself. */
	void begin() {
		if (this.directory.isRebuilt) {
			this.arrivals.rebuild(this.directory.identity.storageId());
		}
		this.drivenLayouts.start(this.cluster.network(this));
		each(KEEP_ALIVE, this::keepAlive);
		each(Duration.ofNanos(DrivenMove.pauseNanos()), this::turn);
		this.repair.begin();
	}

	/** Has the process do something again and again until it ends. */
	void each(Duration period, Runnable work) {
		this.cluster.time().in(period, () -> {
			if (!this.isDead) {
				work.run();
				each(period, work);
			}
		});
	}

	private void turn() {
		CompletableFuture<?> awaited = this.move.turn();
		if (!awaited.isDone()) {
			var _ = awaited.whenComplete((_, _) -> this.thread.execute(this::turn));
		}
	}

	private CompletableFuture<Long> fetch(String peer, CopyObserver observer) {
		return this.repair.fetch(peer, observer);
	}

	private void keepAlive() {
		long now = this.cluster.time().nanos();
		for (SimulatedNode peer : this.cluster.nodes()) {
			SimulatedProcess known = this.connected.get(peer.id());
			boolean isGone = known != null
					&& (peer.process() != known || now - heardNanos(peer.id()) > SILENCE.toNanos());
			if (isGone) {
				this.connected.remove(peer.id());
				this.member.membership().stateChanged(peer.id(), MemberState.DISCONNECTED);
			}
			if (peer != this.node && peer.process() != null && this.peers.contains(peer.id())) {
				this.cluster.keepAlive(this, peer.process());
			}
		}
	}

	/** A keep-alive of a peer has come. */
	void heardOf(SimulatedProcess peer, Carried carried, LayoutReport report) {
		hears(carried);
		if (!layouts().current().hasMember(peer.id()) && !this.peers.contains(peer.id())) {
			this.cluster.refuse(this, peer);
			return;
		}
		SimulatedProcess before = this.connected.put(peer.id(), peer);
		if (before != peer) {
			this.purges.permission().voided(peer.id(), "it was started");
		}
		this.purges.permission().rebuilds(peer.id(), peer.arrivals.isRebuilding());
		this.heard.put(peer.id(), this.cluster.time().nanos());
		this.reports.put(peer.id(), report);
		exchange().heard(peer.id(), report);
		this.member.heard(peer.id(), peer.directory.identity, peer.arrivals.isRebuilding());
		this.hasReachedOthers |= layouts().current()
			.isMajority((member) -> member.equals(id()) || this.connected.containsKey(member));
	}

	/**
	 * What this process has heard of a peer's layout: no later one than its own, unless
	 * the peer has reported that before.
	 */
	LayoutReport heardOf(SimulatedProcess peer) {
		LayoutReport last = this.reports.get(peer.id());
		LayoutReport own = new LayoutReport(this.agreement.report().adopted(), 0);
		return (last != null && last.adopted().version() > own.adopted().version()) ? last : own;
	}

	/** Looks at the promises that were left. */
	void settle() {
		if (isReady()) {
			this.settling.run();
		}
	}

	/* The deadlines of promises are real ones: they count from when each was made. */
	private Collection<Promise> leftPromises() {
		long longest = this.cluster.weather().longestTimeout.toNanos();
		return this.store.promises()
			.stream()
			.map((promise) -> new Promise(promise.key(), promise.ballot(), promise.madeNanos(),
					promise.madeNanos() + longest))
			.toList();
	}

	/** Takes notice of a clock that was asked for. */
	void readsClock(String peer, long physicalMillis, long roundTripNanos) {
		if (!peer.equals(id()) && !node().isFrozen()) {
			this.trueTime.heard(peer, physicalMillis, this.trueTime.nanos() - roundTripNanos);
		}
	}

	/** Takes notice of the clocks that a message carries. */
	void hears(Carried carried) {
		if (!carried.sender().equals(id()) && this.cluster.bug() != PlantedBug.DEAF_CLOCK) {
			checkClock();
			this.judge.heard(carried.sender(), carried.physicalMillis());
			this.carrier.observe(carried.stamp());
			checkClock();
		}
	}

	/** What it has reason to believe changes with each clock that it hears of. */
	void checkClock() {
		long most = this.node
			.mostBelievedMillis(this.judge.medianMillis() + this.cluster.weather().believed.toMillis());
		if (Timestamp.millisOfHybrid(this.clock.lastHybrid()) > most) {
			this.cluster.judge().violated("%s has moved its clock too far into the future".formatted(id()));
		}
	}

	/** Has its replica do something. */
	void ask(boolean isLate, Runnable request) {
		this.isLate = isLate;
		request.run();
		this.isLate = false;
	}

	void takesOverUntil(Deadline deadline) {
		this.takenOverUntil = deadline;
	}

	/** Whether what it is asked now has passed its deadline. */
	boolean isLate() {
		return this.isLate;
	}

	/** Whether its clock is to refuse an entry, which is from too far in the future. */
	boolean isFromTheFuture(Entry entry) {
		return this.judge.refuses(entry.timestamp());
	}

	Carried carried() {
		return new Carried(id(), this.carrier.current(), this.carrier.physicalMillis());
	}

	long heardNanos(String peer) {
		return this.heard.getOrDefault(peer, 0L);
	}

	boolean isConnectedTo(SimulatedProcess peer) {
		return this.connected.get(peer.id()) == peer;
	}

	/** A number for the way to a node, the same in each run. */
	int link(SimulatedNode to) {
		return 8 * this.node.number() + to.number();
	}

	/** The process ends: nothing that it does has an effect any more. */
	void die() {
		this.isDead = true;
		this.thread.shutdown();
		this.move.giveUp();
		this.directory.ceiling = this.clock.lastHybrid();
		this.store.kill(this.cluster.weather().at(this.cluster.time().nanos(), this.node.number()).nextBoolean());
	}

	/** Whether clients may send it requests. */
	boolean isReady() {
		return layouts().isMember() && gate().closed() == null;
	}

	/**
	 * Whether it was connected to a majority since it was started. A node of the product
	 * serves no client before it has tried that.
	 */
	boolean hasReachedOthers() {
		return this.hasReachedOthers;
	}

	boolean isDead() {
		return this.isDead;
	}

	String id() {
		return this.node.id();
	}

	SimulatedNode node() {
		return this.node;
	}

	Layouts layouts() {
		return this.member.layouts();
	}

	DrivenMember member() {
		return this.member;
	}

	DrivenLayouts drivenLayouts() {
		return this.drivenLayouts;
	}

	LayoutExchange exchange() {
		return this.drivenLayouts.exchange();
	}

	LayoutAgreement agreement() {
		return this.agreement;
	}

	Replica fenced() {
		return this.fenced;
	}

	/** What it promises before it has been rebuilt. */
	Mono<PrepareReply> promises(Key key, Proposal proposal, Deadline deadline) {
		return DrivenRegister.prepare(this.store, this.gates, key, proposal, deadline);
	}

	LayoutFence fence() {
		return this.fence;
	}

	DrivenCoordinator coordinator() {
		return this.coordinator;
	}

	DrivenComparisons comparisons() {
		return this.comparisons;
	}

	DrivenPurges purges() {
		return this.purges;
	}

	DrivenArrivals arrivals() {
		return this.arrivals;
	}

	Horizon horizon() {
		return this.horizon;
	}

	SimulatedStore store() {
		return this.store;
	}

	HybridClock clock() {
		return this.clock;
	}

	Directory directory() {
		return this.directory;
	}

	@Override
	public String toString() {
		return "%s at %s, has reported %s, blocked by %s".formatted(id(), this.agreement.adopted(),
				this.agreement.report(),
				Objects.toString(List.copyOf(this.agreement.status(this.member.reports()).blockedBy())));
	}

	/** A deadline in simulated time. */
	Deadline deadline(Duration timeout) {
		return new Deadline(this.cluster.time().nanos() + timeout.toNanos());
	}

	/** The filter of the node, which shows each entry to the judge first. */
	private final class JudgedArrivals implements ArrivalFilter {

		@Override
		public @Nullable Failure refuses(Key key, Entry entry, Origin origin) {
			SimulatedProcess its = SimulatedProcess.this;
			its.cluster.judge().arrives(its, key, entry, origin);
			its.store.arrives(origin);
			return its.arrivals.filter().refuses(key, entry, origin);
		}

		@Override
		public @Nullable Failure refuses(Timestamp version) {
			return SimulatedProcess.this.arrivals.filter().refuses(version);
		}

	}

}
