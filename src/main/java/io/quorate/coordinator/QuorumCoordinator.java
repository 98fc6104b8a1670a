package io.quorate.coordinator;

import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.clock.Deadline;
import io.quorate.clock.HybridClock;
import io.quorate.clock.Timestamp;
import io.quorate.coordinator.CoordinatorMetrics.Operation;
import io.quorate.coordinator.QuorumRead.PromisedException;
import io.quorate.entry.Condition;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.replica.Handover;
import io.quorate.replica.HandoverReply;
import io.quorate.replica.Replica;
import io.quorate.storage.Promise;
import io.quorate.storage.Store;
import reactor.core.publisher.Mono;

/**
 * Coordinates requests by quorum: plans each request, and has it done by
 * {@link QuorumWrite}, {@link QuorumRead} or {@link QuorumScan}.
 */
final class QuorumCoordinator implements Coordinator, AutoCloseable {

	private static final Duration SETTLED_WITHIN = Duration.ofSeconds(5);

	/* By one read. */
	private static final int MOST_SETTLED = 5;

	private final DeadlineSweep deadlines;

	private final ClusterView clusterView;

	private final TimestampSource timestampSource;

	private final WriteServices writeServices;

	private final ReadServices readServices;

	private final Meetings meetings;

	QuorumCoordinator(HybridClock clock, ClusterView clusterView, int digestAbove, MeterRegistry meters) {
		this(clock, clusterView, digestAbove, meters, DeadlineSweep.ticking());
	}

	QuorumCoordinator(HybridClock clock, ClusterView clusterView, int digestAbove, MeterRegistry meters,
			DeadlineSweep deadlines) {
		this.clusterView = clusterView;
		this.deadlines = deadlines;
		List<Replica> replicas = clusterView.lists().get().allReplicas();
		CoordinatorMetrics metrics = new CoordinatorMetrics(meters, replicas);
		Planner planner = new Planner(clusterView.lists(), this.deadlines, metrics);
		this.timestampSource = new TimestampSource(clock, clusterView.judge(), this.deadlines);
		RequestServices shared = new RequestServices(clusterView, planner, this.timestampSource, deadlines, metrics);
		this.writeServices = new WriteServices(shared, new UnprovenReplicas(clusterView.suspects(), replicas),
				new ReplicationLatency(meters, deadlines::nanoTime));
		this.readServices = new ReadServices(shared, digestAbove,
				new FastestFirst(clusterView.local(), clusterView.suspects(), deadlines::nanoTime), new Hedging(),
				new BackgroundReadRepair(metrics));
		this.meetings = new Meetings(shared);
		clusterView.suspects().onSuspect(this.deadlines::suspect);
	}

	@Override
	public PreferenceLists lists() {
		return this.clusterView.lists().get();
	}

	@Override
	public long trueMillis() {
		return this.clusterView.trueMillis();
	}

	@Override
	public int replicationFactor() {
		return this.clusterView.lists().get().replicationFactor();
	}

	@Override
	public Mono<Written> put(Key key, Content content, RequestContext requestContext) {
		return write(Operation.PUT, key, (timestamp, from) -> live(timestamp, from, content), requestContext);
	}

	private Entry live(Timestamp timestamp, int from, Content content) {
		Duration ttl = content.ttl();
		long expiry = (ttl != null) ? timestamp.millis() + ttl.toMillis() : Entry.NEVER;
		return new Entry.Live(timestamp, from, expiry, content.value(), content.contentType());
	}

	/* The register gives it its expiry. */
	private static Entry immortal(Timestamp timestamp, int from, Entry.Live handed) {
		return new Entry.Live(timestamp, from, Entry.NEVER, handed.value(), handed.contentType());
	}

	@Override
	public Mono<Written> delete(Key key, RequestContext requestContext) {
		return write(Operation.DELETE, key, Entry.Tombstone::new, requestContext);
	}

	private Mono<Written> write(Operation operation, Key key, BiFunction<Timestamp, Integer, Entry> entryOf,
			RequestContext requestContext) {
		return QuorumWrite.of(this.writeServices, new WriteRequest(operation, key, entryOf, requestContext));
	}

	@Override
	public Mono<Written> putIf(Key key, Condition condition, Content content, RequestContext requestContext) {
		Duration ttl = content.ttl();
		long ttlMillis = (ttl != null) ? ttl.toMillis() : 0;
		Entry.Live handed = new Entry.Live(Timestamp.ZERO, Entry.ALL, Entry.NEVER, content.value(),
				content.contentType());
		return this.meetings.write(
				new RegisterTerms(Operation.PUT, key, condition, (timestamp, from) -> immortal(timestamp, from, handed),
						ttlMillis, requestContext),
				new Handover(condition, requestContext.consistency().ack(), ttlMillis, handed));
	}

	@Override
	public Mono<Written> deleteIf(Key key, Condition condition, RequestContext requestContext) {
		return this.meetings.write(
				new RegisterTerms(Operation.DELETE, key, condition, Entry.Tombstone::new, requestContext),
				new Handover(condition, requestContext.consistency().ack(), 0,
						new Entry.Tombstone(Timestamp.ZERO, Entry.ALL)));
	}

	@Override
	public Mono<Touched> touch(Key key, Condition condition, Duration ttl, RequestContext requestContext) {
		return this.meetings.touch(new RegisterTerms(key, condition, ttl, requestContext),
				Handover.touch(condition, requestContext.consistency().ack(), ttl.toMillis()));
	}

	/**
	 * Runs a write that another node hands over.
	 * @param admission admits it like a request of a client
	 */
	Mono<HandoverReply> handedOver(Key key, Handover write, Deadline deadline, Admission admission) {
		return Mono.defer(() -> {
			RequestContext context = new RequestContext(new Consistency(write.ack(), Consistency.ALL), deadline,
					admission.admit(0), new RequestTimeline(this.deadlines.nanoTime()));
			return this.meetings.handedOver(terms(key, write, context));
		}).onErrorResume(RefusedException.class, (refused) -> Mono.just(Meetings.refused(refused)));
	}

	private RegisterTerms terms(Key key, Handover write, RequestContext context) {
		return switch (write.content()) {
			case Entry.Live live -> new RegisterTerms(Operation.PUT, key, write.condition(),
					(timestamp, from) -> immortal(timestamp, from, live), write.ttlMillis(), context);
			case Entry.Tombstone _ ->
				new RegisterTerms(Operation.DELETE, key, write.condition(), Entry.Tombstone::new, context);
			case null -> write.isRead() ? new RegisterTerms(Operation.GET, key, write.condition(), null, context)
					: new RegisterTerms(key, write.condition(), Duration.ofMillis(write.ttlMillis()), context);
		};
	}

	@Override
	public Mono<ReadOutcome> readLinearizable(Key key, RequestContext requestContext) {
		return resolveLinearizable(key, requestContext).map((resolved) -> switch (resolved.entry()) {
			case Entry.Live live -> new ReadOutcome.Found(live);
			case Entry.Tombstone deletion when !isOfNothing(deletion) -> new ReadOutcome.Missing(deletion.version());
			case Entry.Tombstone _ -> new ReadOutcome.Missing();
			case null -> new ReadOutcome.Missing();
		});
	}

	/* A round that has found nothing has settled that. */
	private static boolean isOfNothing(Entry entry) {
		return entry.version().equals(Timestamp.ZERO);
	}

	/** As {@link #readLinearizable}, with the entry. */
	Mono<ResolvedRead> resolveLinearizable(Key key, RequestContext requestContext) {
		return LinearizableRead.of(this.readServices, this.meetings, key, requestContext);
	}

	/**
	 * Settles, from now on, what rounds have left in the midst.
	 * @param store that of this node, with the promises that stand
	 * @param admission admits each round like a request of a client
	 */
	void settle(Store store, Admission admission) {
		this.deadlines.watch(new Settling(this.clusterView, store::promises,
				(promise) -> store.release(promise.key(), promise.ballot()), (key, end) -> {
					Mono<Void> settled = Mono.using(
							() -> admission.admit(0), (
									permit) -> settle(key,
											new RequestContext(Consistency.DEFAULT, Deadline.after(SETTLED_WITHIN),
													permit, new RequestTimeline(this.deadlines.nanoTime()))),
							Admission.Permit::close);
					settled
						.onErrorComplete((failure) -> failure instanceof RefusedException
								|| failure instanceof QuorumNotReachedException)
						.doFinally((_) -> end.run())
						.subscribe();
				}));
	}

	/**
	 * Settles the register of a key, so that no promise stands above what it holds. Its
	 * rounds are of all replicas, of however few the request reads.
	 */
	Mono<Void> settle(Key key, RequestContext requestContext) {
		return RegisterRequest.of(this.writeServices.shared(), settling(key, requestContext)).then();
	}

	private static RegisterTerms settling(Key key, RequestContext requestContext) {
		RequestContext ofAll = new RequestContext(Consistency.DEFAULT, requestContext.deadline(),
				requestContext.permit(), requestContext.timeline());
		return new RegisterTerms(Operation.GET, key, Condition.NONE, null, ofAll);
	}

	@Override
	public Mono<ReadOutcome> read(Key key, RequestContext requestContext) {
		return resolve(key, requestContext).map(this::outcome);
	}

	/**
	 * As {@link #read}, with the winning entry, be it absent by now or not. A read that a
	 * round was left in the way of has it settled, and begins anew.
	 */
	Mono<ResolvedRead> resolve(Key key, RequestContext requestContext) {
		return resolve(key, requestContext, MOST_SETTLED);
	}

	private Mono<ResolvedRead> resolve(Key key, RequestContext requestContext, int settlesLeft) {
		return this.readServices.shared()
			.planner()
			.run(requestContext.deadline(),
					(lists, _) -> QuorumRead.of(this.readServices, ReadRequest.of(key, lists, requestContext)))
			.onErrorResume(PromisedException.class,
					(promised) -> (settlesLeft == 0) ? Mono.error(promised.outcome())
							: this.meetings.read(settling(key, requestContext))
								.then(Mono.defer(() -> resolve(key, requestContext, settlesLeft - 1))));
	}

	private ReadOutcome outcome(ResolvedRead resolved) {
		Entry entry = resolved.entry();
		if (entry instanceof Entry.Live live && !live.isAbsentAt(this.timestampSource.nowMillis())) {
			return new ReadOutcome.Found(live);
		}
		return new ReadOutcome.Missing();
	}

	@Override
	public RangeScan scan(ScanRequest request) {
		return new QuorumScan(this.readServices, request);
	}

	/**
	 * The time that the writes of this coordinator take until all of their replicas hold
	 * them.
	 */
	ReplicationLatency spread() {
		return this.writeServices.spread();
	}

	/** The parts that its reads share. */
	ReadServices readServices() {
		return this.readServices;
	}

	int pending() {
		return this.deadlines.pending();
	}

	@Override
	public void close() {
		this.deadlines.close();
	}

}
