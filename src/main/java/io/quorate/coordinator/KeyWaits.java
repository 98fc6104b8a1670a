package io.quorate.coordinator;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import io.quorate.clock.Deadline;
import io.quorate.coordinator.RefusedException.Why;
import io.quorate.entry.Key;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.event.EventListener;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * The clients that wait until a key holds something else. One read serves all that wait
 * for a key and ask for the same consistency. It begins when this node has stored an
 * entry of the key, every {@value #LOOK_SECONDS} s, because this node may hold no copy of
 * the key or have missed the write, and at the end of a wait.
 * <p>
 * At most {@value #MOST} clients wait, half of them of one principal; they hold no permit
 * meanwhile, and their reads at most a quarter of all. What is done for them is done by
 * one thread. Safe for any number of threads.
 */
public final class KeyWaits implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(KeyWaits.class);

	static final int MOST = 4096;

	static final int LOOK_SECONDS = 2;

	static final int TICK_MILLIS = 100;

	private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(LOOK_SECONDS);

	private static final double EARLIEST = 0.9;

	private final Reading reading;

	private final Admission admission;

	private final LongSupplier nanoTime;

	private final Executor executor;

	/* All below is touched in turns alone, but for what is said to be otherwise. */
	private final SerialExecutor turns = new SerialExecutor(
			(bug) -> log.error("Bug: a turn of the clients that wait has failed", bug));

	/* Any thread looks whether there is a key. */
	private final Map<Key, Map<Kind, Awaited>> byKey = new ConcurrentHashMap<>();

	/* Keys of which an entry was stored before their turn; of any thread. */
	private final Set<Key> stored = ConcurrentHashMap.newKeySet();

	/* Guarded by itself. */
	private final Map<String, Integer> byPrincipal = new HashMap<>();

	/* Of all principals; guarded by their map. */
	private int all;

	private final int mostReads;

	private int reads;

	private volatile boolean isEnding;

	/**
	 * Clients that read through a coordinator, each time on the thread that has a reason
	 * for it.
	 * @param admission admits each read
	 * @param nanoTime the monotonic clock
	 */
	public KeyWaits(Coordinator coordinator, Admission admission, LongSupplier nanoTime) {
		this(by(coordinator), admission, nanoTime, Runnable::run);
	}

	KeyWaits(Reading reading, Admission admission, LongSupplier nanoTime, Executor executor) {
		this.reading = reading;
		this.admission = admission;
		this.nanoTime = nanoTime;
		this.executor = executor;
		this.mostReads = Math.max(1, admission.maxRequests() / 4);
	}

	static Reading by(Coordinator coordinator) {
		return (key, isLinearizable, context) -> isLinearizable ? coordinator.readLinearizable(key, context)
				: coordinator.read(key, context);
	}

	/** As above, and reads and ticks on a thread of its own, until closed. */
	static KeyWaits ticking(Reading reading, Admission admission) {
		ScheduledExecutorService executor = new ScheduledThreadPoolExecutor(1,
				Thread.ofPlatform().daemon().name("coordinator-waits").factory(),
				new ThreadPoolExecutor.DiscardPolicy());
		KeyWaits waits = new KeyWaits(reading, admission, System::nanoTime, executor);
		var _ = executor.scheduleWithFixedDelay(waits::tick, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
		return waits;
	}

	@Override
	public void close() {
		if (this.executor instanceof ExecutorService own) {
			own.shutdown();
		}
	}

	/**
	 * The terms on which a client waits.
	 *
	 * @param consistency consistency of the reads, of all replicas
	 * @param isLinearizable whether each read is at one instant
	 * @param isAwaited whether an outcome ends the wait; does not fail
	 * @param most time after which the wait ends, or up to a tenth earlier
	 * @param timeout time that the last read may take
	 * @param principal name of the client's principal
	 */
	public record Terms(Consistency consistency, boolean isLinearizable, Predicate<ReadOutcome> isAwaited,
			Duration most, Duration timeout, String principal) {
	}

	/**
	 * Reads a key until the outcome is awaited, or the time is over: then the last
	 * outcome is returned, whatever it is. Every outcome is of a read that began after
	 * the subscription. Cancelling ends the wait.
	 * @return fails with {@link RefusedException} when too many clients wait, or this is
	 * closed, and as a read when the last one has failed
	 */
	public Mono<ReadOutcome> until(Key key, Terms terms) {
		return Mono.create((sink) -> {
			if (this.executor instanceof ExecutorService own && own.isShutdown()) {
				sink.error(new RefusedException(Why.DRAINING, "the node is about to stop"));
				return;
			}
			if (!enter(terms.principal())) {
				sink.error(new RefusedException(Why.REQUESTS,
						"clients that wait at the limit of %d, half of it for one".formatted(MOST)));
				return;
			}
			Waiting waiting = new Waiting(terms, sink, soon(terms.most().toNanos()));
			run(() -> begin(key, waiting));
			sink.onDispose(() -> run(() -> leave(key, waiting)));
		});
	}

	/* Early at random, so that neither clients nor reads come together again. */
	private long soon(long nanos) {
		double part = EARLIEST + (1 - EARLIEST) * ThreadLocalRandom.current().nextDouble();
		return this.nanoTime.getAsLong() + (long) (nanos * part);
	}

	private void run(Runnable turn) {
		this.executor.execute(() -> this.turns.run(turn));
	}

	private boolean enter(String principal) {
		synchronized (this.byPrincipal) {
			int own = this.byPrincipal.getOrDefault(principal, 0);
			if (this.all >= MOST || own >= MOST / 2) {
				return false;
			}
			this.byPrincipal.put(principal, own + 1);
			this.all++;
			return true;
		}
	}

	private void begin(Key key, Waiting waiting) {
		this.byKey.computeIfAbsent(key, (_) -> new HashMap<>(2))
			.computeIfAbsent(Kind.of(waiting.terms), (kind) -> new Awaited(key, kind))
			.add(waiting);
	}

	/* In a turn, so that the places bound the number of turns that wait, too. */
	private void leave(Key key, Waiting waiting) {
		synchronized (this.byPrincipal) {
			this.byPrincipal.computeIfPresent(waiting.terms.principal(), (_, count) -> (count > 1) ? count - 1 : null);
			this.all--;
		}
		this.byKey.computeIfPresent(key, (_, kinds) -> {
			kinds.computeIfPresent(Kind.of(waiting.terms),
					(_, awaited) -> awaited.isEmptyWithout(waiting) ? null : awaited);
			return kinds.isEmpty() ? null : kinds;
		});
	}

	/** Whether a client waits for a key. */
	public boolean isAwaited(Key key) {
		return this.byKey.containsKey(key);
	}

	/** Number of clients that wait. */
	int waiting() {
		synchronized (this.byPrincipal) {
			return this.all;
		}
	}

	/**
	 * Notes that this node has stored an entry of a key. Blocks and reads nothing: the
	 * thread may be one that others wait for.
	 */
	public void stored(Key key) {
		if (isAwaited(key) && this.stored.add(key)) {
			run(() -> {
				this.stored.remove(key);
				this.byKey.getOrDefault(key, Map.of()).values().forEach(Awaited::look);
			});
		}
	}

	/** Reads what is due; called every {@value #TICK_MILLIS} ms. */
	public void tick() {
		run(() -> {
			long now = this.nanoTime.getAsLong();
			this.byKey.values().forEach((kinds) -> kinds.values().forEach((awaited) -> awaited.tick(now)));
		});
	}

	/** Ends all waits, from the beginning of a stop on. */
	@EventListener
	void readinessChanged(AvailabilityChangeEvent<ReadinessState> event) {
		this.isEnding = event.getState() == ReadinessState.REFUSING_TRAFFIC;
		if (this.isEnding) {
			tick();
		}
	}

	/** The permit of a read, {@code null} if that waits for the next tick. */
	private Admission.@Nullable Permit admitted() {
		boolean hasPlace = this.reads < this.mostReads && this.admission.requests() < this.admission.maxRequests();
		try {
			return hasPlace ? this.admission.admit(0) : null;
		}
		catch (RefusedException _) {
			return null;
		}
	}

	/** Reads a key. */
	@FunctionalInterface
	interface Reading {

		Mono<ReadOutcome> of(Key key, boolean isLinearizable, RequestContext context);

	}

	/** The terms of a read. Clients that ask for others have reads of their own. */
	private record Kind(Consistency consistency, boolean isLinearizable) {

		private static Kind of(Terms terms) {
			return new Kind(terms.consistency(), terms.isLinearizable());
		}

	}

	/** A client that waits. */
	private final class Waiting {

		private final Terms terms;

		private final MonoSink<ReadOutcome> sink;

		/* Of its wait; when that is over, of the time that its last read may take. */
		private long endNanos;

		private boolean isOver;

		/* Number of reads that had begun when it came. */
		private long before;

		private Waiting(Terms terms, MonoSink<ReadOutcome> sink, long endNanos) {
			this.terms = terms;
			this.sink = sink;
			this.endNanos = endNanos;
		}

		private void tick(long now) {
			if (!this.isOver && (KeyWaits.this.isEnding || now - this.endNanos >= 0)) {
				this.isOver = true;
				this.endNanos = now + this.terms.timeout().toNanos();
			}
		}

		/** Whether its last read takes too long. */
		private boolean isLate(long now) {
			return this.isOver && now - this.endNanos >= 0;
		}

		/** Gives it what a read has brought, if it waits for that. */
		private boolean isServed(@Nullable ReadOutcome outcome, @Nullable Throwable failure) {
			if (outcome != null && (this.isOver || this.terms.isAwaited().test(outcome))) {
				this.sink.success(outcome);
				return true;
			}
			if (failure != null && this.isOver) {
				this.sink.error(failure);
				return true;
			}
			return false;
		}

	}

	/**
	 * The clients that one read of a key serves, of which at most one is under way.
	 */
	private final class Awaited {

		private final Key key;

		private final Kind kind;

		private final Set<Waiting> all = new LinkedHashSet<>();

		/* Number of reads that have begun. */
		private long begun;

		private boolean isReading;

		/* Whether a read is to begin when it can. */
		private boolean isDue;

		private long lookNanos;

		private Awaited(Key key, Kind kind) {
			this.key = key;
			this.kind = kind;
		}

		private void add(Waiting waiting) {
			waiting.tick(KeyWaits.this.nanoTime.getAsLong());
			waiting.before = this.begun;
			this.all.add(waiting);
			look();
		}

		private boolean isEmptyWithout(Waiting waiting) {
			this.all.remove(waiting);
			return this.all.isEmpty();
		}

		private void tick(long now) {
			boolean isOver = false;
			for (Waiting waiting : this.all) {
				waiting.tick(now);
				isOver |= waiting.isOver;
			}
			this.all.removeIf((waiting) -> waiting.isLate(now) && waiting.isServed(null, late()));
			this.isDue |= !this.isReading && (isOver || now - this.lookNanos >= 0);
			read();
		}

		private RuntimeException late() {
			return this.isReading ? new QuorumNotReachedException(1, 0, false, List.of()) : new RefusedException(
					Why.REQUESTS, "reads for clients that wait at the limit of %d".formatted(KeyWaits.this.mostReads));
		}

		/**
		 * Reads the key, once more if it is being read: that may have begun too early.
		 */
		private void look() {
			this.isDue = true;
			read();
		}

		private void read() {
			Admission.Permit permit = (this.isDue && !this.isReading && !this.all.isEmpty()) ? admitted() : null;
			if (permit == null) {
				return;
			}
			KeyWaits.this.reads++;
			this.begun++;
			this.isReading = true;
			this.isDue = false;
			this.lookNanos = soon(LOOK_NANOS);
			Mono.using(() -> permit, this::outcome, Admission.Permit::close)
				.subscribe((outcome) -> run(() -> ended(outcome, null)), (failure) -> run(() -> ended(null, failure)));
		}

		/** What a read brings that may take as long as that of any of the clients. */
		private Mono<ReadOutcome> outcome(Admission.Permit permit) {
			Duration timeout = this.all.stream()
				.map((waiting) -> waiting.terms.timeout())
				.max(Comparator.naturalOrder())
				.orElseThrow();
			RequestContext context = new RequestContext(this.kind.consistency(), Deadline.after(timeout), permit,
					new RequestTimeline(System.nanoTime()));
			return KeyWaits.this.reading.of(this.key, this.kind.isLinearizable(), context);
		}

		private void ended(@Nullable ReadOutcome outcome, @Nullable Throwable failure) {
			KeyWaits.this.reads--;
			this.isReading = false;
			this.all.removeIf((waiting) -> waiting.before < this.begun && waiting.isServed(outcome, failure));
			read();
		}

	}

}
