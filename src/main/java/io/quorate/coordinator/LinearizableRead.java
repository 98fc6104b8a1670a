package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.quorate.clock.TrueTime;
import io.quorate.coordinator.CoordinatorMetrics.Operation;
import io.quorate.coordinator.RequestTimeline.Stage;
import io.quorate.coordinator.RequestTimeline.Work;
import io.quorate.entry.Condition;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.replica.LookReply;
import io.quorate.replica.ReadReply;
import io.quorate.replica.Replica;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * One linearizable read under way: a look at a majority, which costs one round trip and
 * writes nothing while no client writes the key. While one does, it looks again; then it
 * joins the writes of the key where they meet, and a round settles what holds. An entry
 * that has expired is settled, too, before its absence is answered: so no client sees a
 * key expire and live again.
 */
final class LinearizableRead {

	/* Between two looks a write of another client ends. */
	private static final int MOST_LOOKS = 3;

	private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	private final RequestServices services;

	private final ReadServices readServices;

	private final Meetings meetings;

	private final Key key;

	private final RequestContext context;

	private int looks;

	private LinearizableRead(ReadServices readServices, Meetings meetings, Key key, RequestContext context) {
		this.meetings = meetings;
		this.services = readServices.shared();
		this.readServices = readServices;
		this.key = key;
		this.context = context;
	}

	/**
	 * Reads a key. Starts when subscribed; cancelling abandons the read.
	 * @return a value only if it has not expired
	 */
	static Mono<ResolvedRead> of(ReadServices readServices, Meetings meetings, Key key, RequestContext context) {
		return Mono.defer(() -> {
			LinearizableRead read = new LinearizableRead(readServices, meetings, key, context);
			return readServices.shared().planner().run(context.deadline(), (lists, _) -> read.look(lists));
		});
	}

	private Mono<ResolvedRead> look(PreferenceLists lists) {
		this.looks++;
		this.context.timeline().enter(Stage.REPLICAS, now());
		ReplicaPlan plan = lists.replicasOf(this.key).plan(this.context.consistency());
		LookTally tally = new LookTally(plan);
		List<Integer> order = bestFirst(plan);
		List<Mono<LookReply>> replies = new ArrayList<>();
		for (int i = 0; i < plan.first(); i++) {
			replies.add(ask(plan, order.get(i),
					(i < plan.whole()) ? Integer.MAX_VALUE : this.readServices.digestAbove(), tally));
		}
		long begun = now();
		long hedgeNanos = this.readServices.hedging().delayNanos();
		return decided(replies, tally, () -> now() - begun >= hedgeNanos).flatMap((decision) -> switch (decision) {
			case PENDING, MORE -> lookAtAll(plan, tally, replies);
			case CHOSEN, UNDECIDED, LOST -> Mono.just(decision);
		}).flatMap((decision) -> concluded(decision, lists, plan, tally));
	}

	private List<Integer> bestFirst(ReplicaPlan plan) {
		return IntStream.range(0, plan.asked())
			.boxed()
			.sorted(Comparator.<Integer, Boolean>comparing((place) -> !plan.isOfAllSides(place))
				.thenComparingLong((place) -> this.readServices.order().rank(plan.all().get(place).nodeId())))
			.toList();
	}

	private Mono<LookReply> ask(ReplicaPlan plan, int place, int maxValueBytes, LookTally tally) {
		Replica replica = plan.all().get(place);
		long begun = now();
		var hop = this.context.timeline().ask(replica.nodeId(), Work.READ, begun);
		tally.asked(place);
		Sinks.One<LookReply> said = Sinks.unsafe().one();
		this.context.timeline()
			.traced(replica)
			.look(this.key, maxValueBytes, this.context.deadline())
			.subscribe((reply) -> {
				hop.answered(reply.held(), now());
				if (!(reply.held() instanceof ReadReply.Failed)) {
					this.readServices.note(replica.nodeId(), now() - begun, this.looks > 1);
				}
				tally.add(place, reply);
				said.tryEmitValue(reply).orThrow();
			});
		return said.asMono();
	}

	private Mono<LookTally.Decision> lookAtAll(ReplicaPlan plan, LookTally tally, List<Mono<LookReply>> begun) {
		List<Mono<LookReply>> replies = new ArrayList<>(begun);
		for (int place = 0; place < plan.asked(); place++) {
			if (!tally.isAsked(place)) {
				replies.add(ask(plan, place, this.readServices.digestAbove(), tally));
			}
		}
		return decided(replies, tally, () -> false);
	}

	/**
	 * The first conclusion that is more than to wait, after a reply or at a tick; or to
	 * wait, when that has taken too long.
	 */
	private Mono<LookTally.Decision> decided(List<Mono<LookReply>> replies, LookTally tally, BooleanSupplier isLong) {
		return Flux.merge(replies)
			.map((_) -> tally.decision(suspects()))
			.filter((decision) -> decision != LookTally.Decision.PENDING)
			.next()
			.or(this.services.deadlines().first(() -> {
				LookTally.Decision made = tally.decision(suspects());
				return (made != LookTally.Decision.PENDING || isLong.getAsBoolean()) ? made : null;
			}, this.context.deadline(), tally::notReached));
	}

	private Mono<ResolvedRead> concluded(LookTally.Decision decision, PreferenceLists lists, ReplicaPlan plan,
			LookTally tally) {
		return switch (decision) {
			case CHOSEN -> chosen(plan, tally);
			case UNDECIDED -> (this.looks < MOST_LOOKS) ? again(lists, tally) : settled();
			case LOST -> Mono.error(tally.isOfOtherLayout() ? new LayoutMismatchException(null, tally.notReached())
					: tally.notReached());
			case PENDING, MORE -> throw new IllegalStateException("no conclusion: " + decision);
		};
	}

	private Mono<ResolvedRead> chosen(ReplicaPlan plan, LookTally tally) {
		List<Integer> holders = tally.chosen();
		for (int holder : holders) {
			if (tally.reply(holder) instanceof ReadReply.Found(Entry entry)) {
				return answered(entry);
			}
		}
		if (tally.reply(holders.getFirst()) instanceof ReadReply.Absent) {
			return answered(null);
		}
		this.services.metrics().fetched();
		Replica holder = plan.all().get(holders.getFirst());
		var hop = this.context.timeline().ask(holder.nodeId(), Work.FETCH, now());
		return this.context.timeline()
			.traced(holder)
			.read(this.key, this.context.deadline())
			.doOnNext((reply) -> hop.answered(reply, now()))
			.flatMap((reply) -> (reply instanceof ReadReply.Found(Entry entry)
					&& tally.reply(holders.getFirst()).isOf(entry.timestamp())) ? answered(entry) : settled());
	}

	private Mono<ResolvedRead> answered(@Nullable Entry entry) {
		if (entry != null && isExpiring(entry)) {
			return timeKnown().flatMap((now) -> entry.isAbsentAt(now) ? settled() : shown(entry));
		}
		return shown(entry);
	}

	private static boolean isExpiring(Entry entry) {
		return entry.expiryMillis() != Entry.NEVER;
	}

	/** The true time, when the members agree on it. */
	private Mono<Long> timeKnown() {
		return this.services.deadlines().<Long>first(() -> {
			long now = this.services.clusterView().trueMillis();
			return (now != TrueTime.UNKNOWN) ? now : null;
		}, this.context.deadline(), RefusedException::withoutTime)
			.doOnError(RefusedException.class, this.services.metrics()::refused);
	}

	private Mono<ResolvedRead> shown(@Nullable Entry entry) {
		if (!this.context.permit().tryHold((entry != null) ? ReadTally.valueBytes(entry) : 0)) {
			return Mono.error(this.context.permit().full());
		}
		this.context.timeline().leave(now());
		this.services.metrics().answered(Operation.GET, this.context.timeline());
		return Mono.just(new ResolvedRead(entry));
	}

	private Mono<ResolvedRead> again(PreferenceLists lists, LookTally tally) {
		return pause(tally::notReached).then(Mono.defer(() -> look(lists)));
	}

	private Mono<Void> pause(Supplier<? extends Throwable> late) {
		long begun = now();
		return this.services.deadlines().when(() -> now() - begun >= PAUSE_NANOS, this.context.deadline(), late);
	}

	private Mono<ResolvedRead> settled() {
		RegisterTerms terms = new RegisterTerms(Operation.GET, this.key, Condition.NONE, null, this.context);
		return this.meetings.read(terms)
			.flatMap((entry) -> isExpiring(entry)
					? timeKnown().flatMap((now) -> entry.isAbsentAt(now)
							? pause(RefusedException::withoutTime).then(Mono.defer(this::settled)) : held(entry))
					: held(entry));
	}

	private Mono<ResolvedRead> held(Entry entry) {
		return this.context.permit().tryHold(ReadTally.valueBytes(entry)) ? Mono.just(new ResolvedRead(entry))
				: Mono.error(this.context.permit().full());
	}

	private Predicate<String> suspects() {
		return this.services.clusterView().suspects()::isSuspect;
	}

	private long now() {
		return this.services.deadlines().nanoTime();
	}

}
