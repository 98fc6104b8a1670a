package io.quorate.api;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.quorate.clock.Timestamp;
import io.quorate.coordinator.Admission;
import io.quorate.coordinator.ConditionFailedException;
import io.quorate.coordinator.Consistency;
import io.quorate.coordinator.Content;
import io.quorate.coordinator.Coordinator;
import io.quorate.coordinator.PreferenceLists;
import io.quorate.coordinator.RangeScan.Found;
import io.quorate.coordinator.RangeScan.Listed;
import io.quorate.coordinator.RangeScan;
import io.quorate.coordinator.ReadOutcome;
import io.quorate.coordinator.RequestContext;
import io.quorate.coordinator.RequestTimeline.Hop;
import io.quorate.coordinator.RequestTimeline;
import io.quorate.coordinator.ScanRequest;
import io.quorate.coordinator.Touched;
import io.quorate.coordinator.Written;
import io.quorate.entry.Condition;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Summary;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import io.quorate.replica.WriteReply;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/**
 * A coordinator over a sorted map, for tests of what lies in front of it. Fails on
 * demand, counts the pages that are pulled from it, and remembers what it was asked.
 */
final class InMemoryCoordinator implements Coordinator {

	private static final int PAGE_BYTES = 256 * 1024;

	private final ConcurrentSkipListMap<Key, Entry.Live> entries = new ConcurrentSkipListMap<>();

	/* The versions of deletions. */
	private final Map<Key, Timestamp> deleted = new ConcurrentHashMap<>();

	private final AtomicLong stamps = new AtomicLong();

	final AtomicInteger pages = new AtomicInteger();

	final AtomicInteger calls = new AtomicInteger();

	final AtomicInteger openScans = new AtomicInteger();

	volatile int replicationFactor = 1;

	/* Whether writes are answered by another thread than the one that asks. */
	volatile boolean writesElsewhere;

	/* Whether replicas keep silent, so that nothing is ever answered. */
	volatile boolean silent;

	/* How long a write takes, and a page. */
	volatile Duration delay = Duration.ZERO;

	/* What writes wait for. */
	private volatile Sinks.@Nullable Empty<Void> proceeding;

	volatile @Nullable RuntimeException failure;

	/* How many records a page of a scan has at most. */
	volatile int mostOnAPage = Integer.MAX_VALUE;

	/* After how many pages a scan fails with the failure above, instead of at once. */
	volatile int pagesBeforeFailure;

	volatile @Nullable Consistency lastConsistency;

	volatile @Nullable Duration lastTimeLeft;

	/* That of the last call, null when it was a plain write or a read. */
	volatile @Nullable Condition lastCondition;

	/* What is said of each write: null unless an earlier request has done it. */
	volatile Written.@Nullable Replayed replayed;

	/* What happens before a key is read. */
	volatile Runnable beforeReads = InMemoryCoordinator::nothing;

	/* The clock by which clients wait. */
	final AtomicLong waitedNanos = new AtomicLong();

	/* How many reads were linearizable. */
	final AtomicInteger linearizableReads = new AtomicInteger();

	private static void nothing() {
		// As a rule.
	}

	void reset() {
		this.beforeReads = InMemoryCoordinator::nothing;
		this.entries.clear();
		this.deleted.clear();
		this.lastCondition = null;
		this.replayed = null;
		this.linearizableReads.set(0);
		this.pages.set(0);
		this.calls.set(0);
		this.replicationFactor = 1;
		this.writesElsewhere = false;
		this.silent = false;
		this.delay = Duration.ZERO;
		this.proceeding = null;
		this.failure = null;
		this.pagesBeforeFailure = 0;
		this.mostOnAPage = Integer.MAX_VALUE;
	}

	/** From now on writes wait. */
	void keepBack() {
		this.proceeding = Sinks.empty();
	}

	/** Has all writes go on. */
	void proceed() {
		Objects.requireNonNull(this.proceeding).tryEmitEmpty().orThrow();
	}

	void hold(Key key, Value value) {
		this.entries.put(key, new Entry.Live(stamp(), 1, Versioned.NEVER, value));
	}

	void hold(Key key, Entry.Live entry) {
		this.entries.put(key, entry);
	}

	Entry.@Nullable Live held(Key key) {
		return this.entries.get(key);
	}

	@Override
	public PreferenceLists lists() {
		throw new UnsupportedOperationException();
	}

	@Override
	public long trueMillis() {
		throw new UnsupportedOperationException();
	}

	@Override
	public int replicationFactor() {
		return this.replicationFactor;
	}

	@Override
	public Mono<Written> put(Key key, Content content, RequestContext requestContext) {
		return put(key, null, content, requestContext);
	}

	@Override
	public Mono<Written> putIf(Key key, Condition condition, Content content, RequestContext requestContext) {
		return put(key, condition, content, requestContext);
	}

	private Mono<Written> put(Key key, @Nullable Condition condition, Content content, RequestContext requestContext) {
		Mono<Written> write = Mono.fromSupplier(() -> {
			try (Admission.Permit _ = requestContext.permit()) {
				asked(requestContext);
				require(condition, key);
				Timestamp stamp = stamp();
				Duration ttl = content.ttl();
				Entry.Live before = this.entries.get(key);
				long expiry = (ttl == null) ? Versioned.NEVER : !ttl.equals(Content.KEEP)
						? stamp.millis() + ttl.toMillis() : (before != null) ? before.expiryMillis() : Versioned.NEVER;
				this.entries.put(key, new Entry.Live(stamp, requestContext.consistency().from(), expiry,
						content.value(), content.contentType()));
				return new Written(stamp, this.replayed);
			}
		});
		if (this.silent) {
			return Mono.<Written>never()
				.doOnSubscribe((_) -> this.calls.incrementAndGet())
				.doOnCancel(requestContext.permit()::close);
		}
		Sinks.Empty<Void> awaited = this.proceeding;
		Mono<Written> kept = (awaited != null) ? awaited.asMono().then(write) : write;
		Mono<Written> late = this.delay.isZero() ? kept : Mono.delay(this.delay).then(kept);
		return this.writesElsewhere ? late.subscribeOn(Schedulers.boundedElastic()) : late;
	}

	@Override
	public Mono<Written> delete(Key key, RequestContext requestContext) {
		return delete(key, null, requestContext);
	}

	private Mono<Written> delete(Key key, @Nullable Condition condition, RequestContext requestContext) {
		return Mono.fromSupplier(() -> {
			try (Admission.Permit _ = requestContext.permit()) {
				asked(requestContext);
				require(condition, key);
				Timestamp stamp = stamp();
				this.entries.remove(key);
				this.deleted.put(key, stamp);
				return new Written(stamp, this.replayed);
			}
		});
	}

	@Override
	public Mono<Written> deleteIf(Key key, Condition condition, RequestContext requestContext) {
		return delete(key, condition, requestContext);
	}

	@Override
	public Mono<Touched> touch(Key key, Condition condition, Duration ttl, RequestContext requestContext) {
		return Mono.fromSupplier(() -> {
			try (Admission.Permit _ = requestContext.permit()) {
				asked(requestContext);
				require(condition, key);
				Entry.Live held = Objects.requireNonNull(this.entries.get(key));
				long expiry = Math.max(held.expiryMillis(), System.currentTimeMillis() + ttl.toMillis());
				this.entries.put(key,
						new Entry.Live(held.timestamp(), held.from(), expiry, held.value(), held.contentType()));
				return new Touched(held.version(), expiry);
			}
		});
	}

	/** Requires that a condition holds; {@code null} is that of a plain write. */
	private void require(@Nullable Condition condition, Key key) {
		this.lastCondition = condition;
		Entry.Live held = this.entries.get(key);
		if (condition != null && !condition.isMetBy(held, System.currentTimeMillis())) {
			throw new ConditionFailedException((held != null) ? held.version() : null,
					(held != null) ? null : this.deleted.get(key));
		}
	}

	@Override
	public Mono<ReadOutcome> readLinearizable(Key key, RequestContext requestContext) {
		return read(key, requestContext).map((outcome) -> {
			this.linearizableReads.incrementAndGet();
			return (outcome instanceof ReadOutcome.Missing) ? new ReadOutcome.Missing(this.deleted.get(key)) : outcome;
		});
	}

	@Override
	public Mono<ReadOutcome> read(Key key, RequestContext requestContext) {
		if (this.silent) {
			return Mono.<ReadOutcome>never().doOnSubscribe((_) -> this.calls.incrementAndGet());
		}
		return Mono.fromSupplier(() -> {
			asked(requestContext);
			this.beforeReads.run();
			Entry.Live entry = this.entries.get(key);
			if (entry == null) {
				return new ReadOutcome.Missing();
			}
			hold(entry.value().size(), requestContext.permit());
			return new ReadOutcome.Found(entry);
		});
	}

	private static void hold(long sizeBytes, Admission.Permit permit) {
		if (!permit.tryHold(sizeBytes)) {
			throw permit.full();
		}
	}

	@Override
	public RangeScan scan(ScanRequest request) {
		this.lastConsistency = request.consistency().at(this.replicationFactor);
		this.openScans.incrementAndGet();
		return new Scan(request);
	}

	private void asked(RequestContext requestContext) {
		this.calls.incrementAndGet();
		this.lastConsistency = requestContext.consistency().at(this.replicationFactor);
		this.lastTimeLeft = Duration.ofNanos(requestContext.deadline().remainingNanos());
		note(requestContext.timeline());
		RuntimeException wanted = this.failure;
		if (wanted != null) {
			throw wanted;
		}
	}

	/** As if one replica had answered, and another one had not. */
	private static void note(RequestTimeline timeline) {
		timeline.enter(RequestTimeline.Stage.REPLICAS, System.nanoTime());
		Hop first = timeline.ask("n0", RequestTimeline.Work.WRITE, System.nanoTime());
		timeline.ask("n-1.b_c", RequestTimeline.Work.REPAIR, System.nanoTime());
		first.answered(WriteReply.Applied.COMPLETE, System.nanoTime());
		timeline.leave(System.nanoTime());
	}

	private Timestamp stamp() {
		long millis = System.currentTimeMillis();
		return new Timestamp(
				this.stamps.accumulateAndGet(Timestamp.hybridOfMillis(millis), (last, now) -> Math.max(last + 1, now)),
				7);
	}

	private final class Scan implements RangeScan {

		private final ScanRequest request;

		private @Nullable ScanRange rest;

		private long left;

		private int pulled;

		private long givenBytes;

		private Scan(ScanRequest request) {
			this.request = request;
			this.rest = request.wanted().range();
			this.left = request.wanted().limit();
		}

		@Override
		public void close() {
			InMemoryCoordinator.this.openScans.decrementAndGet();
		}

		@Override
		public Mono<List<Row>> nextPage(boolean keepsEarlier) {
			Mono<List<Row>> page = Mono.fromSupplier(() -> admittedPage(keepsEarlier));
			Duration late = InMemoryCoordinator.this.delay;
			return (late.isZero() ? page : Mono.delay(late).then(page)).filter((rows) -> !rows.isEmpty());
		}

		private List<Row> admittedPage(boolean keepsEarlier) {
			List<Row> rows = page();
			long earlierBytes = keepsEarlier ? this.givenBytes : 0;
			this.givenBytes = earlierBytes + rows.stream().mapToLong(Row::sizeBytes).sum();
			hold(this.givenBytes, this.request.permit());
			return rows;
		}

		private List<Row> page() {
			InMemoryCoordinator.this.pages.incrementAndGet();
			RuntimeException wanted = InMemoryCoordinator.this.failure;
			if (wanted != null && this.pulled++ >= InMemoryCoordinator.this.pagesBeforeFailure) {
				throw wanted;
			}
			List<Row> rows = new ArrayList<>();
			long sizeBytes = 0;
			while (this.left > 0 && sizeBytes < PAGE_BYTES && rows.size() < InMemoryCoordinator.this.mostOnAPage) {
				Map.Entry<Key, Entry.Live> entry = first(this.rest);
				if (entry == null) {
					this.rest = null;
					return rows;
				}
				Row row = this.request.wanted().isKeysOnly() ? new Listed(entry.getKey(), Summary.of(entry.getValue()))
						: new Found(entry.getKey(), entry.getValue());
				rows.add(row);
				sizeBytes += row.sizeBytes();
				this.rest = behind(entry.getKey());
				this.left--;
			}
			return rows;
		}

		private Map.@Nullable Entry<Key, Entry.Live> first(@Nullable ScanRange range) {
			if (range == null || range.isEmpty()) {
				return null;
			}
			ConcurrentSkipListMap<Key, Entry.Live> held = InMemoryCoordinator.this.entries;
			Key end = range.end();
			Map.Entry<Key, Entry.Live> entry = !range.isDescending() ? held.ceilingEntry(range.start())
					: (end != null) ? held.lowerEntry(end) : held.lastEntry();
			return (entry == null || range.isPassedBy(entry.getKey())) ? null : entry;
		}

		private @Nullable ScanRange behind(Key key) {
			ScanRange range = this.request.wanted().range();
			Key border = range.isDescending() ? key : InMemoryCoordinator.this.entries.higherKey(key);
			return (border != null) ? range.restFrom(border) : null;
		}

	}

}
