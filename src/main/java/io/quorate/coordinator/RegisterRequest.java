package io.quorate.coordinator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.clock.TrueTime;
import io.quorate.coordinator.LayoutMismatchException.Sent;
import io.quorate.coordinator.QuorumNotReachedException.Fate;
import io.quorate.coordinator.RequestTimeline.Stage;
import io.quorate.coordinator.RequestTimeline.Work;
import io.quorate.coordinator.Written.Replayed;
import io.quorate.entry.Condition;
import io.quorate.entry.Entry;
import io.quorate.entry.IdempotencyKey;
import io.quorate.entry.Key;
import io.quorate.entry.Lineage.Repeatable;
import io.quorate.entry.Lineage;
import io.quorate.entry.Summary;
import io.quorate.repair.HintSink;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.PrepareReply;
import io.quorate.replica.Proposal;
import io.quorate.replica.ReadReply;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.retry.Retry;

/**
 * One request on the register of a key: a conditional write, a touch, a write or a read
 * that is linearizable, or a plain write that has met a promise. It runs rounds, each
 * with a ballot of its own, until one decides: the replicas promise, then they accept
 * (Rystsov, "CASPaxos", 2018).
 * <p>
 * Invariants: (1) all rounds of a write propose the same version, so it takes effect at
 * most once; (2) a version is proposed only on an entry with a lower one, so versions
 * grow along the history of a key; (3) what a round finds and does not replace is
 * accepted again under its ballot, with its version and its parent, before anything is
 * concluded from it; (4) a new version is taken only when the last one can never take
 * effect. A touch has no version: a round that does not know whether one before has
 * touched the value touches it again. The rounds of one request follow one another, each
 * on the threads that bring its replies. A client that disconnects stops nothing.
 */
final class RegisterRequest {

	private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	private static final int MOST_DOUBLINGS = 5;

	/* After longer than a deadline no client repeats a request. */
	private static final long REPEATED_WITHIN_MILLIS = TimeUnit.MINUTES.toMillis(1);

	private static final long RELEASED_WITHIN_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final RequestServices services;

	private final RegisterTerms terms;

	private final Key key;

	private final Deadline deadline;

	private final Outstanding outstanding;

	/* That of the request, whose rounds follow one another. */
	private @Nullable Entry template;

	private boolean isProposed;

	private final AgreedExpiry expiry;

	/*
	 * Whether the version is above those of all writes that a majority had acknowledged
	 * when the request began.
	 */
	private boolean isInOrder;

	/* Whether rounds have to settle what they find, whatever the condition says. */
	private boolean isFull;

	private boolean isContended;

	private int rounds;

	/* The replies of the last half of a round, of which something was to come. */
	private Supplier<QuorumNotReachedException> last = () -> new QuorumNotReachedException(1, 0, true, List.of());

	private RegisterRequest(RequestServices services, RegisterTerms terms, @Nullable Sent sent,
			Outstanding outstanding) {
		this.services = services;
		this.terms = terms;
		this.key = terms.key();
		this.deadline = terms.deadline();
		this.outstanding = outstanding;
		this.expiry = new AgreedExpiry(services.clusterView(), terms);
		this.template = (sent != null) ? sent.entry() : null;
		this.isProposed = sent != null;
		this.isInOrder = sent != null && sent.isInOrder();
	}

	/**
	 * The end of a request.
	 *
	 * @param version version of the write, or of what a read has found
	 * @param entry the entry that is chosen
	 * @param replayed what is known of a write that an earlier request has done,
	 * {@code null} when this one has
	 */
	record Settled(Timestamp version, Entry entry, @Nullable Replayed replayed) {

		/** The end of a request that has done what it says. */
		Settled(Timestamp version, Entry entry) {
			this(version, entry, null);
		}

	}

	/**
	 * Runs a request. Starts when subscribed; cancelling only stops the listening. The
	 * permit of a write is closed when the last replica has replied.
	 */
	static Mono<Settled> of(RequestServices services, RegisterTerms terms) {
		return Mono.defer(() -> {
			// The caller of a read has use for the value after it.
			Outstanding outstanding = new Outstanding(terms.isWrite() ? terms.requestContext().permit()::close : () -> {
			});
			return new RegisterRequest(services, terms, null, outstanding).detached()
				.doOnError(RefusedException.class, services.metrics()::refused);
		});
	}

	/**
	 * Goes on with a plain write of which an entry was sent, under the same version.
	 * @param outstanding holder of the write's bytes
	 */
	static Mono<Settled> after(RequestServices services, RegisterTerms terms, Sent sent, Outstanding outstanding) {
		return Mono.defer(() -> {
			outstanding.oneMore();
			return new RegisterRequest(services, terms, sent, outstanding).detached();
		});
	}

	private Mono<Settled> detached() {
		observeNamed(this.terms.condition().match());
		Sinks.One<Settled> outcome = Sinks.one();
		run().doOnNext((_) -> answered())
			.doFinally((_) -> this.outstanding.oneLess())
			.subscribe((settled) -> outcome.tryEmitValue(settled), (failure) -> outcome.tryEmitError(failure));
		return outcome.asMono();
	}

	private void answered() {
		this.terms.timeline().leave(now());
		this.services.metrics().answered(this.terms.operation(), this.terms.timeline());
	}

	/* Else the version of a node whose clock is behind is passed by what it replaces. */
	private void observeNamed(Condition.@Nullable Versions named) {
		if (named != null) {
			named.named().forEach(this.services.timestampSource()::observe);
		}
	}

	private Mono<Settled> run() {
		return Mono.defer(this::round)
			.retryWhen(Retry.from((ends) -> ends.map(Retry.RetrySignal::failure)
				.concatMap(
						(end) -> (end instanceof Again again) ? again.pause.get().thenReturn(end) : Mono.error(end))));
	}

	private Mono<Settled> round() {
		this.rounds++;
		this.terms.timeline().enter(Stage.STAMP, now());
		PreferenceLists lists = this.services.planner().lists();
		ReplicaPlan plan = lists.replicasOf(this.key).plan(this.terms.requestContext().consistency());
		return this.services.timestampSource()
			.next(this.deadline)
			.onErrorMap(RefusedException.class, (refused) -> this.isProposed ? ended() : refused)
			.flatMap((ballot) -> begun(lists, plan, ballot));
	}

	private Mono<Settled> begun(PreferenceLists lists, ReplicaPlan plan, Timestamp ballot) {
		BiFunction<Timestamp, Integer, Entry> entryOf = this.terms.entryOf();
		if (this.template == null && entryOf != null) {
			this.template = entryOf.apply(ballot, plan.from());
		}
		this.terms.timeline().enter(Stage.REPLICAS, now());
		return new Round(lists, plan, ballot).run();
	}

	private long now() {
		return this.services.deadlines().nanoTime();
	}

	private Predicate<String> suspects() {
		return this.services.clusterView().suspects()::isSuspect;
	}

	/** The failure of the request by its deadline. */
	private RuntimeException ended() {
		if (this.isContended && !this.isProposed && this.terms.isWrite()) {
			return new ContendedException(this.rounds);
		}
		return fated(this.last.get());
	}

	private RuntimeException fated(QuorumNotReachedException failure) {
		if (!this.terms.isWrite()) {
			return failure;
		}
		Entry its = this.template;
		return failure.with(!this.isProposed ? Fate.NOT_WRITTEN
				: (its != null) ? new Fate(Fate.UNKNOWN.word(), its.version()) : Fate.UNKNOWN);
	}

	/** One round: what all its messages have in common is its plan and its ballot. */
	private final class Round {

		private final PreferenceLists lists;

		private final ReplicaPlan plan;

		private final Timestamp ballot;

		private final long nowMillis;

		private final PrepareTally tally;

		/* Whether late promises are to be released. */
		private boolean isGivenUp;

		private Round(PreferenceLists lists, ReplicaPlan plan, Timestamp ballot) {
			this.lists = lists;
			this.plan = plan;
			this.ballot = ballot;
			this.nowMillis = RegisterRequest.this.services.clusterView().trueMillis();
			this.tally = new PrepareTally(plan);
			RegisterRequest.this.last = () -> this.tally.notReached(RegisterRequest.this.terms.isWrite());
		}

		private Mono<Settled> run() {
			return decided(prepare(), () -> this.tally.decision(suspects()), PrepareTally.Decision.Pending.INSTANCE)
				.onErrorResume((failure) -> {
					release();
					return Mono.error(failure);
				})
				.flatMap(this::concluded);
		}

		/**
		 * The first conclusion that is more than to wait, after a reply or at a tick.
		 */
		private <T> Mono<T> decided(List<? extends Mono<?>> replies, Supplier<T> decision, T pending) {
			return Flux.merge(replies)
				.map((_) -> decision.get())
				.filter((made) -> !made.equals(pending))
				.next()
				.or(RegisterRequest.this.services.deadlines().first(() -> {
					// A silent replica may have become suspect.
					T made = decision.get();
					return made.equals(pending) ? null : made;
				}, RegisterRequest.this.deadline, RegisterRequest.this::ended));
		}

		private List<Mono<PrepareReply>> prepare() {
			Entry its = RegisterRequest.this.template;
			boolean isAsked = !RegisterRequest.this.isProposed && !RegisterRequest.this.isFull;
			Proposal proposal = new Proposal((its != null) ? its.version() : this.ballot, this.ballot,
					isAsked ? RegisterRequest.this.terms.condition() : Condition.NONE, this.nowMillis);
			List<Mono<PrepareReply>> replies = new ArrayList<>();
			for (int i = 0; i < this.plan.asked(); i++) {
				int number = i;
				Replica replica = this.plan.all().get(i);
				RequestTimeline timeline = RegisterRequest.this.terms.timeline();
				var hop = timeline.ask(replica.nodeId(), Work.PREPARE, now());
				Sinks.One<PrepareReply> said = Sinks.unsafe().one();
				timeline.traced(replica)
					.prepare(RegisterRequest.this.key, proposal, RegisterRequest.this.deadline)
					.subscribe((reply) -> {
						hop.answered(reply, now());
						PrepareReply believed = believed(reply);
						add(number, believed);
						said.tryEmitValue(believed).orThrow();
					});
				replies.add(said.asMono());
			}
			return replies;
		}

		/** Makes a failure of a timestamp from too far in the future. */
		private PrepareReply believed(PrepareReply reply) {
			if (reply instanceof PrepareReply.Superseded(Timestamp by)
					&& !RegisterRequest.this.services.timestampSource().observe(by)) {
				return new PrepareReply.Failed(
						new Failure(Reason.CLOCK_SKEW, "superseded by " + by + ", which is too far in the future"));
			}
			return reply;
		}

		private synchronized void add(int number, PrepareReply reply) {
			this.tally.add(number, reply);
			if (this.isGivenUp && reply instanceof PrepareReply.Promised) {
				release(this.plan.all().get(number));
			}
		}

		/** Nothing is proposed in this round, nor will be. */
		private synchronized void release() {
			if (!this.isGivenUp) {
				this.isGivenUp = true;
				this.tally.promisers().forEach(this::release);
			}
		}

		/* Also at the deadline of the request. */
		private void release(Replica replica) {
			replica.release(RegisterRequest.this.key, this.ballot, new Deadline(now() + RELEASED_WITHIN_NANOS));
		}

		private Mono<Settled> concluded(PrepareTally.Decision decision) {
			if (decision instanceof PrepareTally.Decision.Promised(var base, var holders)) {
				return found(base, holders);
			}
			release();
			return switch (decision) {
				case PrepareTally.Decision.Unmet(var held) -> {
					if (isUnjudged(held)) {
						yield whenTimeIsKnown();
					}
					if (held != null && !held.isTombstone() && held.isAbsentAt(this.nowMillis)) {
						// What is seen expired must not be seen alive again.
						RegisterRequest.this.isFull = true;
						yield Mono.error(again(0));
					}
					if (repeated(held) != null) {
						RegisterRequest.this.isFull = true;
						yield Mono.error(again(0));
					}
					yield Mono.error(unmet(held));
				}
				case PrepareTally.Decision.Differing _ -> {
					RegisterRequest.this.isFull = true;
					yield Mono.error(again(0));
				}
				case PrepareTally.Decision.Outbid(int millis) -> {
					RegisterRequest.this.isContended = true;
					yield Mono.error(again(millis));
				}
				case PrepareTally.Decision.Lost _ -> Mono.error(lost(this.tally.isOfOtherLayout(),
						this.tally.notReached(RegisterRequest.this.terms.isWrite())));
				case PrepareTally.Decision.Pending _, PrepareTally.Decision.Promised _ ->
					throw new IllegalStateException("no conclusion: " + decision);
			};
		}

		/**
		 * Ends the round, after which there is another one: between nothing and twice as
		 * long after each, so that rounds that have met do not meet again.
		 * @param millis time that rounds of others are to be left
		 */
		private Again again(int millis) {
			long most = FIRST_PAUSE_NANOS << Math.min(RegisterRequest.this.rounds - 1, MOST_DOUBLINGS);
			long mixed = (this.ballot.hybrid() * 31 + this.ballot.node()) * 0x9E3779B97F4A7C15L;
			long nanos = TimeUnit.MILLISECONDS.toNanos(millis) + Long.remainderUnsigned(mixed ^ (mixed >>> 32), most);
			return new Again(() -> {
				long begun = now();
				return RegisterRequest.this.services.deadlines()
					.when(() -> now() - begun >= nanos, RegisterRequest.this.deadline, RegisterRequest.this::ended);
			});
		}

		private ConditionFailedException unmet(@Nullable Summary held) {
			if (held == null || held.version().equals(Timestamp.ZERO)) {
				return new ConditionFailedException(null, null);
			}
			return held.isAbsentAt(this.nowMillis)
					? new ConditionFailedException(null, held.version(), isForgotten(held))
					: new ConditionFailedException(held.version(), null, isForgotten(held));
		}

		/**
		 * Whether an earlier request with the same key may have been done, and so many
		 * others since that it is not remembered. It has replaced a version that the
		 * condition names, if it names any: what is older than that says nothing.
		 */
		private boolean isForgotten(Summary held) {
			Condition condition = RegisterRequest.this.terms.condition();
			if (condition.once() == null || held.repeatable().size() < Lineage.MOST_REPEATABLE) {
				return false;
			}
			Timestamp oldest = held.repeatable().getLast().version();
			Condition.Versions match = condition.match();
			return (match != null && !match.isAny())
					? match.named().stream().noneMatch((named) -> !oldest.isAfter(named))
					: this.ballot.millis() - oldest.millis() < REPEATED_WITHIN_MILLIS;
		}

		/** The write in the history of an entry that has the key of this request. */
		private @Nullable Repeatable repeated(@Nullable Summary held) {
			IdempotencyKey once = RegisterRequest.this.terms.condition().once();
			if (once == null || held == null) {
				return null;
			}
			return held.repeatable().stream().filter((done) -> done.key().key() == once.key()).findFirst().orElse(null);
		}

		private RuntimeException lost(boolean isOfOtherLayout, QuorumNotReachedException failure) {
			if (!isOfOtherLayout) {
				return fated(failure);
			}
			RegisterRequest.this.services.metrics().plannedAnew();
			long begun = now();
			return new Again(
					() -> RegisterRequest.this.services.deadlines()
						.when(() -> RegisterRequest.this.services.planner().isOvertaken(this.lists)
								|| now() - begun >= Planner.RETRY_NANOS, RegisterRequest.this.deadline,
								() -> fated(failure)));
		}

		/**
		 * Concludes from the newest entry that a majority of promises holds.
		 * @param base that entry, {@code null} for none
		 * @param holders replicas that hold it
		 */
		private Mono<Settled> found(@Nullable Summary base, List<Replica> holders) {
			Entry its = RegisterRequest.this.template;
			if (RegisterRequest.this.terms.isTouch()) {
				return touched(base, holders);
			}
			if (its == null) {
				return settle(base, holders, false).map((entry) -> new Settled(entry.version(), entry));
			}
			Timestamp version = its.version();
			int order = (base != null) ? base.version().compareTo(version) : -1;
			if (order == 0) {
				return settle(base, holders, true).map((entry) -> new Settled(version, entry));
			}
			Repeatable done = repeated(base);
			if (done != null && isUnjudged(base)) {
				return whenTimeIsKnown();
			}
			if (done != null) {
				// As many hold it as the client asks for, unless another write has
				// replaced it.
				boolean isHeld = base != null && done.version().equals(base.version());
				return settle(base, holders, isHeld).flatMap((settled) -> replayed(done, settled, version));
			}
			if (order > 0) {
				return settle(base, holders, false).flatMap((settled) -> passed(settled, version));
			}
			if (!isUnjudged(base) && !RegisterRequest.this.terms.condition().isMetBy(base, this.nowMillis)) {
				return settle(base, holders, false).flatMap((_) -> Mono.error(unmet(base)));
			}
			if (isUnjudged(base) || !RegisterRequest.this.expiry.isKnown()) {
				return whenTimeIsKnown();
			}
			RegisterRequest.this.isInOrder = true;
			Entry proposed = placed(its, RegisterRequest.this.expiry.of(its, base, this.nowMillis),
					lineageOn(base, version));
			RegisterRequest.this.template = proposed;
			return propose(proposed).map((entry) -> new Settled(version, entry));
		}

		private boolean isUnjudged(@Nullable Summary held) {
			return RegisterRequest.this.expiry.isUnjudged(held, this.nowMillis);
		}

		/** Ends the round, which could not judge, until the members agree on the time. */
		private <T> Mono<T> whenTimeIsKnown() {
			release();
			return Mono.error(new Again(() -> RegisterRequest.this.services.deadlines()
				.when(() -> RegisterRequest.this.expiry.nowMillis() != TrueTime.UNKNOWN, RegisterRequest.this.deadline,
						() -> RegisterRequest.this.isProposed ? ended() : RefusedException.withoutTime())));
		}

		private Mono<Entry> propose(Entry entry) {
			if (RegisterRequest.this.deadline.nanos() - now() <= 0) {
				// A read that begins now may not see it, and relies on that.
				release();
				return Mono.error(ended());
			}
			RegisterRequest.this.isProposed = true;
			return accept(entry, true);
		}

		/** The history of a write that is done on an entry, or on nothing. */
		private Lineage lineageOn(@Nullable Summary base, Timestamp version) {
			List<Repeatable> repeatable = new ArrayList<>();
			IdempotencyKey once = RegisterRequest.this.terms.condition().once();
			if (once != null) {
				repeatable.add(new Repeatable(once, version));
			}
			if (base != null) {
				repeatable.addAll(base.repeatable());
			}
			return new Lineage(version, (base != null) ? base.version() : Timestamp.ZERO,
					repeatable.subList(0, Math.min(repeatable.size(), Lineage.MOST_REPEATABLE)));
		}

		/**
		 * Proposes the entry that was found once more, with a later expiry. Nothing tells
		 * whether an earlier round has done so, and that is the same.
		 */
		private Mono<Settled> touched(@Nullable Summary base, List<Replica> holders) {
			if (isUnjudged(base)) {
				return whenTimeIsKnown();
			}
			if (base == null || !RegisterRequest.this.terms.condition().isMetBy(base, this.nowMillis)) {
				// An earlier round may have renewed what another client has replaced
				// since.
				return settle(base, holders, false)
					.flatMap((_) -> Mono.error(RegisterRequest.this.isProposed ? ended() : unmet(base)));
			}
			if (base.expiryMillis() != Entry.NEVER && !RegisterRequest.this.expiry.isKnown()) {
				return whenTimeIsKnown();
			}
			return carriedOn(base, holders, RegisterRequest.this.expiry.touched(base)).flatMap(this::propose)
				.map((entry) -> new Settled(base.version(), entry));
		}

		/** Concludes from a chosen entry whose history has the key of this request. */
		private Mono<Settled> replayed(Repeatable done, Entry settled, Timestamp version) {
			if (done.version().equals(version)) {
				return Mono.just(new Settled(version, settled));
			}
			if (!done.key().equals(RegisterRequest.this.terms.condition().once())) {
				return Mono.error(new IdempotencyKeyReusedException());
			}
			Timestamp current = settled.isTombstone() ? null : settled.version();
			return Mono.just(new Settled(done.version(), settled, new Replayed(current)));
		}

		/**
		 * Concludes from a chosen entry with a later version, on which this one is never
		 * proposed again. Nothing lies between a version and its parent.
		 */
		private Mono<Settled> passed(Entry settled, Timestamp version) {
			Timestamp parent = settled.parent();
			if (version.equals(parent) || (parent == null && isOverwritten())) {
				return Mono.just(new Settled(version, settled));
			}
			boolean isDead = !RegisterRequest.this.isProposed || (parent != null && version.isAfter(parent));
			if (!isDead) {
				return Mono.error(ended());
			}
			RegisterRequest.this.isProposed = false;
			RegisterRequest.this.template = null;
			RegisterRequest.this.isContended = true;
			Summary held = Summary.of(settled);
			boolean isNext = isUnjudged(held) || RegisterRequest.this.terms.condition().isMetBy(held, this.nowMillis);
			return Mono.error(isNext ? again(0) : unmet(held));
		}

		/**
		 * Whether a plain write with a later version has replaced this one, or has kept
		 * it out at an instant at which both were under way: no client can tell.
		 */
		private boolean isOverwritten() {
			return RegisterRequest.this.isInOrder && RegisterRequest.this.terms.condition().equals(Condition.NONE);
		}

		/**
		 * Accepts again what the round has found, or that there is nothing.
		 * @param isAckNeeded whether by as many replicas as the client asks for
		 */
		private Mono<Entry> settle(@Nullable Summary base, List<Replica> holders, boolean isAckNeeded) {
			if (base == null) {
				return accept(new Entry.Tombstone(this.ballot, this.plan.from(), new Lineage(Timestamp.ZERO, null)),
						false);
			}
			Lineage lineage = new Lineage(base.version(), base.parent(), base.repeatable());
			if (base.isAbsentAt(this.nowMillis)) {
				return accept(new Entry.Tombstone(this.ballot, this.plan.from(), lineage), isAckNeeded);
			}
			Entry its = RegisterRequest.this.template;
			if (its != null && its.version().equals(base.version()) && its.expiryMillis() == base.expiryMillis()) {
				// It is what rounds of the request have proposed, which has the value.
				return accept(placed(its, its.expiryMillis(), lineage), true);
			}
			return carriedOn(base, holders, base.expiryMillis()).flatMap((entry) -> accept(entry, isAckNeeded));
		}

		/** Fetches what the round has found, under its ballot. */
		private Mono<Entry> carriedOn(Summary base, List<Replica> holders, long expiryMillis) {
			Entry its = RegisterRequest.this.template;
			Admission.Permit permit = RegisterRequest.this.terms.requestContext().permit();
			int ownBytes = (its instanceof Entry.Live live) ? live.value().size() : 0;
			if (!permit.tryHold(ownBytes + (long) base.valueSizeBytes())) {
				release();
				RefusedException full = permit.full();
				return Mono.error(RegisterRequest.this.isProposed ? ended() : full);
			}
			Lineage lineage = new Lineage(base.version(), base.parent(), base.repeatable());
			return fetch(base, holders, 0).map((entry) -> placed(entry, expiryMillis, lineage));
		}

		private Mono<Entry> fetch(Summary base, List<Replica> holders, int next) {
			if (next == holders.size()) {
				release();
				return Mono.error(again(0));
			}
			RequestTimeline timeline = RegisterRequest.this.terms.timeline();
			Replica holder = holders.get(next);
			var hop = timeline.ask(holder.nodeId(), Work.FETCH, now());
			return timeline.traced(holder)
				.read(RegisterRequest.this.key, RegisterRequest.this.deadline)
				.doOnNext((reply) -> hop.answered(reply, now()))
				.flatMap((reply) -> (reply instanceof ReadReply.Found(Entry entry)
						&& entry.timestamp().equals(base.timestamp())) ? Mono.just(entry)
								: fetch(base, holders, next + 1));
		}

		private Entry placed(Entry entry, long expiryMillis, Lineage lineage) {
			return switch (entry) {
				case Entry.Live live -> new Entry.Live(this.ballot, this.plan.from(), expiryMillis, live.value(),
						live.contentType(), lineage);
				case Entry.Tombstone _ -> new Entry.Tombstone(this.ballot, this.plan.from(), lineage);
			};
		}

		/**
		 * Sends an entry to all replicas. When the rounds of others are faster, another
		 * round has to find out what has become of it.
		 * @param isOwn whether the request ends with it
		 */
		private Mono<Entry> accept(Entry entry, boolean isOwn) {
			AcceptTally accepts = new AcceptTally(this.plan, isOwn);
			ChosenHints hints = new ChosenHints(RegisterRequest.this.services.clusterView().missed());
			RegisterRequest.this.last = () -> accepts.notReached(RegisterRequest.this.terms.isWrite());
			return decided(send(entry, accepts, hints), () -> accepts.decision(suspects()),
					AcceptTally.Decision.PENDING)
				.onErrorResume((late) -> accepts.isChosen() ? Mono.just(AcceptTally.Decision.CHOSEN) : Mono.error(late))
				.doOnNext((decision) -> {
					if (decision == AcceptTally.Decision.REACHED || decision == AcceptTally.Decision.CHOSEN) {
						hints.chosen();
					}
				})
				.flatMap((decision) -> switch (decision) {
					case REACHED -> Mono.just(entry);
					case CHOSEN ->
						isOwn ? Mono.error(accepts.notReached(true).with(new Fate("written", entry.version())))
								: Mono.just(entry);
					case OUTBID -> {
						RegisterRequest.this.isContended = true;
						yield Mono.error(again(0));
					}
					case LOST -> Mono.error(
							lost(accepts.isOfOtherLayout(), accepts.notReached(RegisterRequest.this.terms.isWrite())));
					case PENDING -> throw new IllegalStateException("no conclusion");
				});
		}

		private List<Mono<WriteReply>> send(Entry entry, AcceptTally accepts, HintSink hints) {
			List<Replica> receivers = entry.isTombstone() ? this.plan.all() : this.plan.replicas();
			MissedReplicas missedReplicas = new MissedReplicas(RegisterRequest.this.key, entry, receivers, hints);
			List<Mono<WriteReply>> replies = new ArrayList<>(receivers.size());
			for (Replica replica : receivers) {
				int number = replies.size();
				Sinks.One<WriteReply> said = Sinks.unsafe().one();
				RegisterRequest.this.outstanding.oneMore();
				RequestTimeline timeline = RegisterRequest.this.terms.timeline();
				var hop = timeline.ask(replica.nodeId(), Work.WRITE, now());
				Replica traced = timeline.traced(replica);
				Consumer<WriteReply> settle = (reply) -> {
					hop.answered(reply, now());
					if (reply instanceof WriteReply.Failed) {
						RegisterRequest.this.services.metrics().ackMissing(replica.nodeId());
					}
					missedReplicas.settle(replica.nodeId(), reply);
					if (number < this.plan.asked()) {
						accepts.add(number, reply);
					}
					RegisterRequest.this.outstanding.oneLess();
					said.tryEmitValue(reply).orThrow();
				};
				traced.apply(RegisterRequest.this.key, entry, RegisterRequest.this.deadline).subscribe((reply) -> {
					if (reply instanceof WriteReply.Promised(Timestamp by)) {
						RegisterRequest.this.services.timestampSource().observe(by);
					}
					if (reply instanceof WriteReply.Superseded(Timestamp by, boolean wasNeverHeld, var _)) {
						RegisterRequest.this.services.timestampSource().observe(by);
						if (!wasNeverHeld) {
							looked(reply, traced, entry).subscribe(settle);
							return;
						}
					}
					settle.accept(reply);
				});
				replies.add(said.asMono());
			}
			return replies.subList(0, this.plan.asked());
		}

		/**
		 * Makes an ack of the reply of a replica that could not tell whether it holds
		 * something newer, if it does not.
		 */
		private Mono<WriteReply> looked(WriteReply reply, Replica replica, Entry entry) {
			return replica.read(RegisterRequest.this.key, 0, RegisterRequest.this.deadline)
				.map((newest) -> newest.isOf(entry.timestamp()) ? WriteReply.Applied.COMPLETE : reply);
		}

	}

	/**
	 * The replicas that have missed an entry of a round. Hints are kept for them only
	 * when the entry is chosen. Else a hint might bring the entry when a promise that it
	 * rests on is lost with a disk, over a write that was acknowledged since (the model's
	 * {@code Versions_hints}).
	 */
	private static final class ChosenHints implements HintSink {

		private final HintSink sink;

		private final List<Runnable> waiting = new ArrayList<>(0);

		private boolean isChosen;

		private ChosenHints(HintSink sink) {
			this.sink = sink;
		}

		@Override
		public void missed(Key key, Entry entry, String node) {
			Runnable hint = () -> this.sink.missed(key, entry, node);
			synchronized (this) {
				if (!this.isChosen) {
					this.waiting.add(hint);
					return;
				}
			}
			hint.run();
		}

		private void chosen() {
			List<Runnable> all;
			synchronized (this) {
				this.isChosen = true;
				all = List.copyOf(this.waiting);
				this.waiting.clear();
			}
			all.forEach(Runnable::run);
		}

	}

	/** Ends a round after which there is another one; carries no stack trace. */
	private static final class Again extends RuntimeException {

		private static final long serialVersionUID = 1;

		@SuppressWarnings("serial") // It never leaves the request.
		private final Supplier<Mono<Void>> pause;

		private Again(Supplier<Mono<Void>> pause) {
			super("another round", null, false, false);
			this.pause = pause;
		}

	}

}
