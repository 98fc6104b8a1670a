package io.quorate.coordinator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
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
 * for a key. It begins when this node has stored an entry of the key, every
 * {@value #LOOK_SECONDS} s, because this node may hold no copy of the key or have missed
 * the write, and at the end of a wait.
 * <p>
 * At most {@value #MOST} clients wait, half of them of one principal; they hold no permit
 * meanwhile. Safe for any number of threads.
 */
public final class KeyWaits implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(KeyWaits.class);

	static final int MOST = 4096;

	static final int LOOK_SECONDS = 2;

	static final int TICK_MILLIS = 100;

	private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(LOOK_SECONDS);

	/* Waits end early at random, so that clients do not come back together. */
	private static final double EARLIEST = 0.9;

	private final Reading reading;

	private final Admission admission;

	private final LongSupplier nanoTime;

	private final Map<Key, Awaited> byKey = new ConcurrentHashMap<>();

	private final Map<String, Integer> byPrincipal = new HashMap<>();

	/* Of all principals; guarded by their map. */
	private int all;

	private volatile boolean isEnding;

	/* Ends the ticks. */
	private volatile Runnable end = () -> {
	};

	/**
	 * Clients that read through a coordinator.
	 * @param admission admits each read
	 * @param nanoTime the monotonic clock
	 */
	public KeyWaits(Coordinator coordinator, Admission admission, LongSupplier nanoTime) {
		this((key, isLinearizable, context) -> isLinearizable ? coordinator.readLinearizable(key, context)
				: coordinator.read(key, context), admission, nanoTime);
	}

	KeyWaits(Reading reading, Admission admission, LongSupplier nanoTime) {
		this.reading = reading;
		this.admission = admission;
		this.nanoTime = nanoTime;
	}

	/** As above, and ticks on a thread of its own, until closed. */
	static KeyWaits ticking(Coordinator coordinator, Admission admission) {
		KeyWaits waits = new KeyWaits(coordinator, admission, System::nanoTime);
		ScheduledExecutorService executor = new ScheduledThreadPoolExecutor(1,
				Thread.ofPlatform().daemon().name("coordinator-waits").factory(),
				new ThreadPoolExecutor.DiscardPolicy());
		waits.end = executor::shutdown;
		var _ = executor.scheduleWithFixedDelay(waits::ticked, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
		return waits;
	}

	private void ticked() {
		try {
			tick();
		}
		catch (RuntimeException | Error bug) {
			log.error("Bug: a tick of the clients that wait has failed", bug);
		}
	}

	@Override
	public void close() {
		this.end.run();
	}

	/**
	 * The terms on which a client waits.
	 *
	 * @param consistency consistency of the reads, of all replicas
	 * @param isLinearizable whether each read is at one instant
	 * @param isAwaited whether an outcome ends the wait; does not fail
	 * @param most time after which the wait ends, or up to a tenth earlier
	 * @param timeout time that each read may take
	 * @param principal name of the client's principal
	 */
	public record Terms(Consistency consistency, boolean isLinearizable, Predicate<ReadOutcome> isAwaited,
			Duration most, Duration timeout, String principal) {
	}

	/**
	 * Reads a key until the outcome is awaited, or the time is over: then the last
	 * outcome is returned, whatever it is. Every outcome is of a read that began after
	 * the subscription. Cancelling ends the wait.
	 * @return fails with {@link RefusedException} when too many clients wait, and as a
	 * read when the last one has failed
	 */
	public Mono<ReadOutcome> until(Key key, Terms terms) {
		return Mono.create((sink) -> {
			if (!enter(terms.principal())) {
				sink.error(new RefusedException(Why.REQUESTS,
						"clients that wait at the limit of %d, half of it for one".formatted(MOST)));
				return;
			}
			Waiting waiting = new Waiting(terms, sink, endNanos(terms.most()));
			Awaited awaited = this.byKey.compute(key, (_, there) -> {
				Awaited its = (there != null) ? there : new Awaited(key);
				its.add(waiting);
				return its;
			});
			sink.onDispose(() -> leave(key, waiting));
			awaited.look();
		});
	}

	private long endNanos(Duration most) {
		double part = EARLIEST + (1 - EARLIEST) * ThreadLocalRandom.current().nextDouble();
		return this.nanoTime.getAsLong() + (long) (most.toNanos() * part);
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

	private void leave(Key key, Waiting waiting) {
		synchronized (this.byPrincipal) {
			this.byPrincipal.computeIfPresent(waiting.terms.principal(), (_, count) -> (count > 1) ? count - 1 : null);
			this.all--;
		}
		this.byKey.computeIfPresent(key, (_, awaited) -> awaited.isEmptyWithout(waiting) ? null : awaited);
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

	/** Notes that this node has stored an entry of a key. Does not block. */
	public void stored(Key key) {
		if (!this.byKey.isEmpty()) {
			Awaited awaited = this.byKey.get(key);
			if (awaited != null) {
				awaited.look();
			}
		}
	}

	/** Reads what is due; called every {@value #TICK_MILLIS} ms. */
	public void tick() {
		long now = this.nanoTime.getAsLong();
		this.byKey.values().forEach((awaited) -> awaited.tick(now));
	}

	/** Ends all waits, from the beginning of a stop on. */
	@EventListener
	void readinessChanged(AvailabilityChangeEvent<ReadinessState> event) {
		this.isEnding = event.getState() == ReadinessState.REFUSING_TRAFFIC;
		if (this.isEnding) {
			tick();
		}
	}

	/** Reads a key. */
	@FunctionalInterface
	interface Reading {

		Mono<ReadOutcome> of(Key key, boolean isLinearizable, RequestContext context);

	}

	/** A client that waits. */
	private static final class Waiting {

		private final Terms terms;

		private final MonoSink<ReadOutcome> sink;

		private final long endNanos;

		/* Number of reads of the key that had begun when it came. */
		private long reads;

		private Waiting(Terms terms, MonoSink<ReadOutcome> sink, long endNanos) {
			this.terms = terms;
			this.sink = sink;
			this.endNanos = endNanos;
		}

	}

	/** A key that clients wait for. At most one read of it is under way. */
	private final class Awaited {

		private final Key key;

		private final List<Waiting> all = new ArrayList<>(1);

		private long reads;

		private boolean isReading;

		/* Whether another read is to follow the one that is under way. */
		private boolean isDue;

		private long readNanos;

		private Awaited(Key key) {
			this.key = key;
		}

		private synchronized void add(Waiting waiting) {
			waiting.reads = this.reads;
			this.all.add(waiting);
		}

		private synchronized boolean isEmptyWithout(Waiting waiting) {
			this.all.remove(waiting);
			return this.all.isEmpty();
		}

		private void tick(long now) {
			boolean isDue;
			synchronized (this) {
				isDue = now - this.readNanos >= LOOK_NANOS
						|| this.all.stream().anyMatch((waiting) -> isOver(waiting, now));
			}
			if (isDue) {
				look();
			}
		}

		private boolean isOver(Waiting waiting, long now) {
			return KeyWaits.this.isEnding || now - waiting.endNanos >= 0;
		}

		/**
		 * Reads the key, once more if it is being read: that may have begun too early.
		 */
		private void look() {
			Terms terms;
			synchronized (this) {
				if (this.isReading) {
					this.isDue = true;
					return;
				}
				terms = begun();
			}
			if (terms != null) {
				read(terms);
			}
		}

		/** The terms of a read that begins now, which are enough for each client. */
		private @Nullable Terms begun() {
			Terms strictest = null;
			for (Waiting waiting : this.all) {
				Terms its = waiting.terms;
				strictest = (strictest == null) ? its : stricter(strictest, its);
			}
			this.isReading = strictest != null;
			this.isDue = false;
			this.reads++;
			this.readNanos = KeyWaits.this.nanoTime.getAsLong();
			return strictest;
		}

		private static Terms stricter(Terms one, Terms other) {
			Consistency both = new Consistency(Math.max(one.consistency().ack(), other.consistency().ack()),
					one.consistency().from());
			boolean isLinearizable = one.isLinearizable() || other.isLinearizable();
			Duration timeout = (one.timeout().compareTo(other.timeout()) > 0) ? one.timeout() : other.timeout();
			return new Terms(both, isLinearizable, one.isAwaited(), one.most(), timeout, one.principal());
		}

		private void read(Terms terms) {
			Mono.using(() -> KeyWaits.this.admission.admit(0), (permit) -> outcome(terms, permit),
					Admission.Permit::close, false)
				.subscribe((outcome) -> ended(outcome, null), (failure) -> ended(null, failure));
		}

		private Mono<ReadOutcome> outcome(Terms terms, Admission.Permit permit) {
			RequestContext context = new RequestContext(terms.consistency(), Deadline.after(terms.timeout()), permit,
					new RequestTimeline(System.nanoTime()));
			return KeyWaits.this.reading.of(this.key, terms.isLinearizable(), context);
		}

		private void ended(@Nullable ReadOutcome outcome, @Nullable Throwable failure) {
			List<Waiting> served = new ArrayList<>();
			Terms next;
			synchronized (this) {
				long now = KeyWaits.this.nanoTime.getAsLong();
				this.isReading = false;
				for (Waiting waiting : this.all) {
					boolean isServed = isOver(waiting, now)
							|| (outcome != null && waiting.terms.isAwaited().test(outcome));
					if (isServed && waiting.reads < this.reads) {
						served.add(waiting);
					}
				}
				this.all.removeAll(served);
				next = this.isDue ? begun() : null;
			}
			for (Waiting waiting : served) {
				if (outcome != null) {
					waiting.sink.success(outcome);
				}
				else if (failure != null) {
					waiting.sink.error(failure);
				}
			}
			if (next != null) {
				read(next);
			}
		}

	}

}
