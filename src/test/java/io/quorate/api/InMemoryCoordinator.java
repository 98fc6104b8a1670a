package io.quorate.api;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.coordinator.Admission;
import io.quorate.coordinator.Consistency;
import io.quorate.coordinator.Coordinator;
import io.quorate.coordinator.RangeScan;
import io.quorate.coordinator.ReadOutcome;
import io.quorate.coordinator.Written;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * A coordinator over a sorted map, for tests of what lies in front of it. Fails on
 * demand, counts the pages that are pulled from it, and remembers what it was asked.
 */
final class InMemoryCoordinator implements Coordinator {

	private static final int PAGE_BYTES = 256 * 1024;

	private final ConcurrentSkipListMap<Key, Entry.Live> entries = new ConcurrentSkipListMap<>();

	private final AtomicLong stamps = new AtomicLong();

	final AtomicInteger pages = new AtomicInteger();

	final AtomicInteger calls = new AtomicInteger();

	volatile int replicationFactor = 1;

	/* Whether writes are answered by another thread than the one that asks. */
	volatile boolean writesElsewhere;

	volatile @Nullable RuntimeException failure;

	/* After how many pages a scan fails with the failure above, instead of at once. */
	volatile int pagesBeforeFailure;

	volatile @Nullable Consistency lastConsistency;

	volatile @Nullable Duration lastTimeLeft;

	void reset() {
		this.entries.clear();
		this.pages.set(0);
		this.calls.set(0);
		this.replicationFactor = 1;
		this.writesElsewhere = false;
		this.failure = null;
		this.pagesBeforeFailure = 0;
	}

	void hold(Key key, Value value) {
		this.entries.put(key, new Entry.Live(stamp(), 1, Versioned.NEVER, value));
	}

	Entry.@Nullable Live held(Key key) {
		return this.entries.get(key);
	}

	@Override
	public int replicationFactor() {
		return this.replicationFactor;
	}

	@Override
	public Mono<Written> put(Key key, Value value, @Nullable Duration ttl, Consistency consistency, Deadline deadline,
			Admission.Permit permit) {
		Mono<Written> write = Mono.fromSupplier(() -> {
			try (permit) {
				asked(consistency, deadline);
				Timestamp stamp = stamp();
				long expiry = (ttl != null) ? stamp.millis() + ttl.toMillis() : Versioned.NEVER;
				this.entries.put(key, new Entry.Live(stamp, consistency.from(), expiry, value));
				return new Written(stamp);
			}
		});
		return this.writesElsewhere ? write.subscribeOn(Schedulers.boundedElastic()) : write;
	}

	@Override
	public Mono<Written> delete(Key key, Consistency consistency, Deadline deadline, Admission.Permit permit) {
		return Mono.fromSupplier(() -> {
			try (permit) {
				asked(consistency, deadline);
				this.entries.remove(key);
				return new Written(stamp());
			}
		});
	}

	@Override
	public Mono<ReadOutcome> read(Key key, Consistency consistency, Deadline deadline, Admission.Permit permit) {
		return Mono.fromSupplier(() -> {
			asked(consistency, deadline);
			Entry.Live entry = this.entries.get(key);
			if (entry == null) {
				return new ReadOutcome.Missing();
			}
			hold(entry.value().size(), permit);
			return new ReadOutcome.Found(entry);
		});
	}

	private static void hold(long sizeBytes, Admission.Permit permit) {
		if (!permit.tryHold(sizeBytes)) {
			throw permit.full();
		}
	}

	@Override
	public RangeScan scan(Key start, @Nullable Key end, long limit, Consistency consistency, Duration timeout,
			Admission.Permit permit) {
		this.lastConsistency = consistency;
		return new Scan(start, end, limit, permit);
	}

	private void asked(Consistency consistency, Deadline deadline) {
		this.calls.incrementAndGet();
		this.lastConsistency = consistency;
		this.lastTimeLeft = Duration.ofNanos(deadline.remainingNanos());
		RuntimeException wanted = this.failure;
		if (wanted != null) {
			throw wanted;
		}
	}

	private Timestamp stamp() {
		long millis = System.currentTimeMillis();
		return new Timestamp(
				this.stamps.accumulateAndGet(Timestamp.hybridOfMillis(millis), (last, now) -> Math.max(last + 1, now)),
				7);
	}

	private final class Scan implements RangeScan {

		private @Nullable Key next;

		private final @Nullable Key end;

		private long left;

		private int pulled;

		private final Admission.Permit permit;

		private Scan(Key start, @Nullable Key end, long limit, Admission.Permit permit) {
			this.permit = permit;
			this.next = start;
			this.end = end;
			this.left = limit;
		}

		@Override
		public Mono<List<Row>> nextPage() {
			return Mono.fromSupplier(this::admittedPage).filter((rows) -> !rows.isEmpty());
		}

		private List<Row> admittedPage() {
			List<Row> rows = page();
			hold(rows.stream().mapToLong((row) -> row.key().size() + row.entry().value().size()).sum(), this.permit);
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
			Key from = this.next;
			while (from != null && this.left > 0 && sizeBytes < PAGE_BYTES) {
				Map.Entry<Key, Entry.Live> entry = rows.isEmpty() ? InMemoryCoordinator.this.entries.ceilingEntry(from)
						: InMemoryCoordinator.this.entries.higherEntry(from);
				if (entry == null || (this.end != null && entry.getKey().compareTo(this.end) >= 0)) {
					this.next = null;
					return rows;
				}
				rows.add(new Row(entry.getKey(), entry.getValue()));
				sizeBytes += entry.getKey().size() + entry.getValue().value().size();
				from = entry.getKey();
				this.left--;
			}
			this.next = (from != null) ? InMemoryCoordinator.this.entries.higherKey(from) : null;
			return rows;
		}

	}

}
