package io.quorate.replica;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.quorate.clock.Deadline;
import io.quorate.clock.HybridClock;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.RepairedTimestamps.Arrival;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.Arrivals;
import io.quorate.storage.DiskFullException;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.ReadResult;
import io.quorate.storage.ScanPage;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageExpiredException;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.StorageOverloadedException;
import io.quorate.storage.Store;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/** This node as a replica, over its own store. */
public final class LocalReplica implements Replica {

	private static final Logger log = LoggerFactory.getLogger(LocalReplica.class);

	private final String nodeId;

	private final Store store;

	private final Supplier<Executor> callbacks;

	private final ReplicaGates gates;

	private final LocalRegister register;

	private volatile @Nullable HandoverRunner handovers;

	private volatile Consumer<Key> stored = (_) -> {
	};

	private final HybridClock clock;

	private final RepairedTimestamps repaired;

	private final WritesUnderWay underWay = new WritesUnderWay();

	private volatile boolean wasClosed;

	/* Number of ended rebuilds after which the floor was raised. */
	private volatile long rebuilds;

	private final DamageLog damage = new DamageLog();

	private final Operation<ApplyResult, WriteReply> applies;

	private final Operation<ReadResult, ReadReply> reads;

	private final Operation<ScanPage, PageReply> pages;

	private final Operation<HeaderPage, PageReply> headers;

	/**
	 * A replica over a store.
	 * @param clock has observed every timestamp that the store holds
	 * @param callbacks the executor on which the calling thread receives the outcome of
	 * its request: its event loop, if it has one
	 * @param gates whether reads are answered and entries taken
	 * @param registry records the time of each request
	 */
	public LocalReplica(String nodeId, Store store, HybridClock clock, Supplier<Executor> callbacks, ReplicaGates gates,
			MeterRegistry registry) {
		this.nodeId = nodeId;
		this.store = store;
		this.clock = clock;
		this.repaired = new RepairedTimestamps(upToNow());
		this.callbacks = callbacks;
		this.gates = gates;
		this.register = new LocalRegister(store, gates);
		ReplyTimers timers = new ReplyTimers(registry);
		this.applies = new Operation<>(this::failure, WriteReply.Failed::new, timers::record);
		this.reads = new Operation<>(this::failure, ReadReply.Failed::new, timers::record);
		this.pages = new Operation<>(this::failure, PageReply.Failed::new, timers::record);
		this.headers = new Operation<>(this::failure, PageReply.Failed::new, timers::record);
	}

	@Override
	public String nodeId() {
		return this.nodeId;
	}

	/** The writes of this node that have no outcome yet. */
	public WritesUnderWay underWay() {
		return this.underWay;
	}

	@Override
	public Mono<WriteReply> apply(Key key, Entry entry, Origin origin, Deadline deadline) {
		return apply(key, entry, origin, UNPLANNED, deadline);
	}

	@Override
	public Mono<WriteReply> apply(Key key, Entry entry, Origin origin, long layout, Deadline deadline) {
		long begun = System.nanoTime();
		if (deadline.isExpired()) {
			return this.applies.refuse(expired(), begun);
		}
		if (this.gates.judge().refuses(entry.timestamp())) {
			return this.applies.refuse(fromTheFuture(entry), begun);
		}
		Failure refusal = this.gates.arrivals().refuses(key, entry, origin);
		if (refusal != null) {
			return this.applies.refuse(refusal, begun);
		}
		var _ = noteGate();
		boolean wasComplete = !this.gates.reads().mayHaveLostLaterThan(entry.timestamp());
		Arrival arrival = new Arrival(key, entry.timestamp(), layout);
		return (origin instanceof Origin.Client) ? applyOfClient(arrival, entry, wasComplete, begun)
				: applyOfRepair(arrival, entry, wasComplete, begun);
	}

	private Mono<WriteReply> applyOfClient(Arrival arrival, Entry entry, boolean wasComplete, long begun) {
		Executor executor = this.callbacks.get();
		WritesUnderWay.Phase phase = this.underWay.begin();
		CompletableFuture<ApplyResult> stored = begun(() -> this.store.apply(arrival.key(), entry, executor));
		return this.applies.listen(stored.thenCompose((result) -> settled(result, arrival.stamp(), executor)), begun,
				(result) -> reply(result, arrival, wasComplete), phase);
	}

	private Mono<WriteReply> applyOfRepair(Arrival arrival, Entry entry, boolean wasComplete, long begun) {
		this.repaired.begin(arrival.stamp());
		WritesUnderWay.Phase phase = this.underWay.begin();
		CompletableFuture<ApplyResult> stored = begun(
				() -> this.store.apply(arrival.key(), entry, this.callbacks.get()));
		return this.applies.listen(stored.whenComplete((result, _) -> note(result, arrival, wasComplete)), begun,
				(result) -> switch (result) {
					case ApplyResult.Applied _ -> stored(arrival, wasComplete);
					case ApplyResult.Superseded beyond ->
						new WriteReply.Superseded(beyond.by(), false, beyond.isPlain());
					case ApplyResult.Promised(var by) -> new WriteReply.Promised(by);
				}, phase);
	}

	/**
	 * The result of a client's write, of which it is known whether it was held before. A
	 * repair that has brought it, too, may be in the same group commit.
	 */
	private CompletableFuture<ApplyResult> settled(ApplyResult result, Timestamp stamp, Executor executor) {
		CompletableFuture<Void> settled = (result instanceof ApplyResult.Applied) ? null : this.repaired.settled(stamp);
		return (settled == null || settled.isDone()) ? CompletableFuture.completedFuture(result)
				: settled.thenApplyAsync((_) -> result, executor);
	}

	private void note(@Nullable ApplyResult result, Arrival arrival, boolean wasComplete) {
		switch (result) {
			case ApplyResult.Applied _ -> this.repaired.held(arrival, ack(arrival.stamp(), wasComplete));
			case ApplyResult.Superseded beyond -> this.repaired.notHeld(arrival, !beyond.isCertain());
			case ApplyResult.Promised _ -> this.repaired.notHeld(arrival, false);
			case null -> this.repaired.notHeld(arrival, true);
		}
	}

	/** The work that begins, also if it fails at once: each request has a reply. */
	private static <T> CompletableFuture<T> begun(Supplier<CompletableFuture<T>> work) {
		try {
			return work.get();
		}
		catch (RuntimeException | Error failure) {
			return CompletableFuture.failedFuture(failure);
		}
	}

	private WriteReply reply(ApplyResult result, Arrival arrival, boolean wasComplete) {
		Timestamp stamp = arrival.stamp();
		return switch (result) {
			case ApplyResult.Applied _ -> stored(arrival, wasComplete);
			case ApplyResult.Superseded beyond -> {
				WriteReply.Applied earlier = this.repaired.ackOf(arrival);
				yield (earlier != null) ? ack(stamp, earlier.isComplete()) : new WriteReply.Superseded(beyond.by(),
						beyond.isCertain() && wasNeverHeld(stamp), beyond.isPlain());
			}
			case ApplyResult.Promised(var by) -> {
				WriteReply.Applied earlier = this.repaired.ackOf(arrival);
				yield (earlier != null) ? ack(stamp, earlier.isComplete()) : new WriteReply.Promised(by);
			}
		};
	}

	private WriteReply.Applied stored(Arrival arrival, boolean wasComplete) {
		this.stored.accept(arrival.key());
		return ack(arrival.stamp(), wasComplete);
	}

	/* A rebuild may have begun while the store applied the entry. */
	private WriteReply.Applied ack(Timestamp stamp, boolean wasComplete) {
		return (wasComplete && !this.gates.reads().mayHaveLostLaterThan(stamp)) ? WriteReply.Applied.COMPLETE
				: WriteReply.Applied.INCOMPLETE;
	}

	private boolean wasNeverHeld(Timestamp stamp) {
		return noteGate() && !this.repaired.mayContain(stamp);
	}

	/**
	 * Tracks whether the gate is closed: meanwhile a rebuild copies entries into the
	 * store past this class, too, which may have been held here. The number of rebuilds
	 * shows also one that began and ended between two calls.
	 * @return whether the gate is open
	 */
	private boolean noteGate() {
		if (this.gates.reads().closed() != null) {
			this.wasClosed = true;
			return false;
		}
		// After the gate, which opens when the rebuild is counted.
		long ended = this.gates.reads().endedRebuilds();
		if (this.wasClosed || ended != this.rebuilds) {
			this.repaired.forget(upToNow());
			this.wasClosed = false;
			this.rebuilds = ended;
		}
		return true;
	}

	private Timestamp upToNow() {
		return new Timestamp(this.clock.lastHybrid(), -1);
	}

	@Override
	public Mono<ReadReply> read(Key key, int maxValueBytes, Deadline deadline) {
		long begun = System.nanoTime();
		Failure closed = deadline.isExpired() ? expired() : this.gates.reads().closed();
		if (closed != null) {
			return this.reads.refuse(closed, begun);
		}
		return this.reads.listen(begun(() -> this.store.read(key, maxValueBytes, deadline, this.callbacks.get())),
				begun, LocalRegister::reply);
	}

	@Override
	public Mono<PrepareReply> prepare(Key key, Proposal proposal, Deadline deadline) {
		if (deadline.isExpired()) {
			return Mono.just(new PrepareReply.Failed(expired()));
		}
		Executor executor = this.callbacks.get();
		WritesUnderWay.Phase phase = this.underWay.begin();
		return Mono
			.fromFuture(begun(() -> this.register.prepare(key, proposal, deadline, executor)).handle((made, cause) -> {
				phase.end();
				return (cause != null) ? new PrepareReply.Failed(failure(cause)) : made;
			}), true);
	}

	@Override
	public void release(Key key, Timestamp ballot, Deadline deadline) {
		this.register.release(key, ballot);
	}

	/**
	 * Has writes that others hand over run from now on.
	 * @param runner runs one; it never fails, and does not block
	 */
	public void runHandovers(HandoverRunner runner) {
		this.handovers = runner;
	}

	/**
	 * Notifies a listener of each key of which a request has brought an entry that was
	 * stored, from now on. Of what a rebuild copies it is not notified.
	 * @param listener it never fails, and does not block
	 */
	public void onStored(Consumer<Key> listener) {
		this.stored = listener;
	}

	/** Runs writes of registers that were handed to this node. */
	@FunctionalInterface
	public interface HandoverRunner {

		/** Begins the write when subscribed. */
		Mono<HandoverReply> run(Key key, Handover write, Deadline deadline);

	}

	@Override
	public Mono<HandoverReply> handOver(Key key, Handover write, Deadline deadline) {
		HandoverRunner runner = this.handovers;
		Failure refusal = deadline.isExpired() ? expired() : this.gates.reads().closed();
		if (runner == null || refusal != null) {
			return Mono.just(new HandoverReply.Failed(
					(refusal != null) ? refusal : new Failure(Reason.JOINING, "the node has not begun to coordinate")));
		}
		return runner.run(key, write, deadline);
	}

	@Override
	public Mono<LookReply> look(Key key, int maxValueBytes, Deadline deadline) {
		Failure closed = deadline.isExpired() ? expired() : this.gates.reads().closed();
		if (closed != null) {
			return Mono.just(LookReply.failed(closed));
		}
		Executor executor = this.callbacks.get();
		return Mono.fromFuture(begun(() -> this.register.look(key, maxValueBytes, deadline, executor))
			.handle((made, cause) -> (cause != null) ? LookReply.failed(failure(cause)) : made), true);
	}

	@Override
	public Mono<PageReply> page(PageRequest request, Deadline deadline) {
		long begun = System.nanoTime();
		Failure closed = deadline.isExpired() ? expired() : this.gates.reads().closed();
		if (closed != null) {
			return this.pages.refuse(closed, begun);
		}
		Executor executor = this.callbacks.get();
		return request.isHeadersOnly() ? this.headers.listen(
				begun(() -> this.store.headers(request.range(), request.above(), request.limit(), deadline, executor)),
				begun, PageReply.Headers::new)
				: this.pages.listen(begun(() -> this.store.page(request.range(), request.limit(), deadline, executor)),
						begun, PageReply.Page::new);
	}

	/**
	 * Is not timed, as most of its time it waits on purpose. Who waits is woken by the
	 * ticks of the {@linkplain Store#arrivals() store's arrivals}, too.
	 */
	@Override
	public Mono<ChangesReply> changes(ChangesRequest request, Deadline deadline) {
		if (deadline.isExpired()) {
			return Mono.just(new ChangesReply.Failed(expired()));
		}
		Arrivals arrivals = this.store.arrivals();
		ChangesReply reply = changes(arrivals, request, request.epoch(), request.after());
		long waitNanos = Math.min(deadline.remainingNanos(),
				TimeUnit.MILLISECONDS.toNanos(Math.min(request.waitMillis(), ChangesRequest.MOST_WAIT_MILLIS)));
		boolean mayWait = request.after() != Arrivals.NOW && waitNanos > 0;
		if (mayWait && reply instanceof ChangesReply.Changes(var page) && page.names().isEmpty() && !page.isGap()) {
			return awaited(arrivals, request, page, waitNanos);
		}
		return Mono.just(reply);
	}

	private Mono<ChangesReply> awaited(Arrivals arrivals, ChangesRequest request, Arrivals.Page known, long waitNanos) {
		Executor executor = this.callbacks.get();
		long untilNanos = this.store.nanoTime() + waitNanos;
		return Mono.create((caller) -> {
			Runnable answer = () -> caller.success(changes(arrivals, request, known.epoch(), known.through()));
			Runnable leave = arrivals.await(known, request.ranges(), untilNanos, () -> runOn(executor, answer));
			caller.onDispose(leave::run);
		});
	}

	private ChangesReply changes(Arrivals arrivals, ChangesRequest request, long epoch, long after) {
		Failure closed = this.gates.reads().closed();
		return (closed != null) ? new ChangesReply.Failed(closed)
				: new ChangesReply.Changes(arrivals.after(epoch, after, request.ranges(), ChangesRequest.MOST_NAMES)
					.upTo(ChangesRequest.MOST_BYTES));
	}

	private static void runOn(Executor executor, Runnable task) {
		try {
			executor.execute(task);
		}
		catch (RejectedExecutionException stopped) {
			log.debug("No peer waits for arrivals any more: the node stops", stopped);
		}
	}

	private Failure failure(Throwable thrown) {
		Throwable cause = (thrown instanceof CompletionException && thrown.getCause() != null) ? thrown.getCause()
				: thrown;
		String detail = String.valueOf(cause.getMessage());
		return switch (cause) {
			case StorageOverloadedException _ -> new Failure(Reason.OVERLOADED, detail);
			case DiskFullException _ -> new Failure(Reason.DISK_FULL, detail);
			case StorageExpiredException _ -> new Failure(Reason.TIMEOUT, detail);
			case StorageCorruptedException damage -> {
				this.damage.met(damage);
				yield new Failure(Reason.CORRUPT, detail);
			}
			case StorageFailedException failed -> {
				log.debug("Refused by a store that has failed or is closed", cause);
				yield new Failure(failed.isRefusal() ? Reason.BROKEN : Reason.FAILED, detail);
			}
			default -> {
				log.error("Internal error in the store", cause);
				yield new Failure(Reason.FAILED, detail);
			}
		};
	}

	private Failure fromTheFuture(Entry entry) {
		return new Failure(Reason.CLOCK_SKEW,
				"the timestamp of the write, %d ms since the epoch, is too far ahead of the cluster's clock, which is at %d ms"
					.formatted(entry.timestamp().millis(), this.gates.judge().medianMillis()));
	}

	private static Failure expired() {
		return new Failure(Reason.TIMEOUT, "the deadline had passed before the work began");
	}

	/**
	 * The translation of a result of the store to a reply.
	 *
	 * @param cause makes a failure of an exception
	 * @param failed makes a reply of a failure
	 * @param made records each reply when it is made, with the time at which its request
	 * began
	 */
	private record Operation<T, R>(Function<Throwable, Failure> cause, Function<Failure, R> failed,
			ObjLongConsumer<R> made) {

		private Mono<R> listen(CompletableFuture<T> future, long begun, Function<T, R> reply) {
			return listen(future, begun, reply, null);
		}

		/**
		 * A future that is done already is answered at once.
		 * @param phase phase that ends with the future
		 */
		private Mono<R> listen(CompletableFuture<T> future, long begun, Function<T, R> reply,
				WritesUnderWay.@Nullable Phase phase) {
			if (future.state() == Future.State.SUCCESS) {
				end(phase);
				return Mono.just(told(reply.apply(future.resultNow()), begun));
			}
			return Mono.fromFuture(future.handle((result, cause) -> {
				end(phase);
				R answer = (cause != null) ? this.failed.apply(this.cause.apply(cause)) : reply.apply(result);
				return told(answer, begun);
			}), true);
		}

		private static void end(WritesUnderWay.@Nullable Phase phase) {
			if (phase != null) {
				phase.end();
			}
		}

		private Mono<R> refuse(Failure refusal, long begun) {
			return Mono.just(told(this.failed.apply(refusal), begun));
		}

		private R told(R answer, long begun) {
			this.made.accept(answer, begun);
			return answer;
		}

	}

	/** The timers of the local replica's requests, by operation and outcome. */
	private static final class ReplyTimers {

		private final Outcomes apply;

		private final Timer superseded;

		private final Outcomes read;

		private final Outcomes page;

		ReplyTimers(MeterRegistry registry) {
			this.apply = new Outcomes(registry, "apply");
			this.superseded = ReplicaMeters.LOCAL.timer(registry, "apply", "superseded");
			this.read = new Outcomes(registry, "read");
			this.page = new Outcomes(registry, "page");
		}

		/**
		 * Records a reply to a request that began at {@code begun}, by
		 * {@link System#nanoTime}.
		 */
		void record(WriteReply reply, long begun) {
			record(switch (reply) {
				case WriteReply.Applied _ -> this.apply.success;
				case WriteReply.Superseded _, WriteReply.Promised _ -> this.superseded;
				case WriteReply.Failed(var failure) -> this.apply.of(failure);
			}, begun);
		}

		void record(ReadReply reply, long begun) {
			record(switch (reply) {
				case ReadReply.Found _, ReadReply.Summarized _, ReadReply.Absent _ -> this.read.success;
				case ReadReply.Failed(var failure) -> this.read.of(failure);
			}, begun);
		}

		void record(PageReply reply, long begun) {
			record(switch (reply) {
				case PageReply.Page _, PageReply.Headers _ -> this.page.success;
				case PageReply.Failed(var failure) -> this.page.of(failure);
			}, begun);
		}

		private static void record(Timer timer, long begun) {
			timer.record(System.nanoTime() - begun, TimeUnit.NANOSECONDS);
		}

		/** The outcomes that every operation has. */
		private static final class Outcomes {

			private final Timer success;

			private final Timer overloaded;

			private final Timer failed;

			private Outcomes(MeterRegistry registry, String operation) {
				this.success = ReplicaMeters.LOCAL.timer(registry, operation, "success");
				this.overloaded = ReplicaMeters.LOCAL.timer(registry, operation, "overloaded");
				this.failed = ReplicaMeters.LOCAL.timer(registry, operation, "failed");
			}

			private Timer of(Failure failure) {
				return (failure.reason() == Reason.OVERLOADED) ? this.overloaded : this.failed;
			}

		}

	}

}
