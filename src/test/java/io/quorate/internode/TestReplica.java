package io.quorate.internode;

import java.util.List;
import java.util.NavigableMap;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Summary;
import io.quorate.replica.ChangesReply;
import io.quorate.replica.ChangesRequest;
import io.quorate.replica.Handover;
import io.quorate.replica.HandoverReply;
import io.quorate.replica.LookReply;
import io.quorate.replica.Origin;
import io.quorate.replica.PageReply;
import io.quorate.replica.PageRequest;
import io.quorate.replica.PrepareReply;
import io.quorate.replica.Proposal;
import io.quorate.replica.ReadReply;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import io.quorate.storage.Arrivals;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.ScanPage;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** A replica in memory, whose replies a test can hold back or set. */
public final class TestReplica implements Replica {

	private final NavigableMap<Key, Entry> entries = new ConcurrentSkipListMap<>();

	private final Queue<Runnable> keptBack = new ConcurrentLinkedQueue<>();

	private final AtomicInteger calls = new AtomicInteger();

	private final AtomicInteger cancelled = new AtomicInteger();

	private final AtomicLong sentBytes = new AtomicLong();

	private volatile boolean keepingBack;

	private final AtomicInteger headerPages = new AtomicInteger();

	private volatile @Nullable WriteReply writeReply;

	private volatile @Nullable ReadReply readReply;

	private volatile PrepareReply prepareReply = new PrepareReply.Promised(null);

	private volatile HandoverReply handoverReply = new HandoverReply.Contended(0);

	private volatile @Nullable Timestamp promise;

	/** What it was asked about registers: proposals, writes, and ballots. */
	public final Queue<Object> ofRegisters = new ConcurrentLinkedQueue<>();

	private volatile ChangesReply changesReply = new ChangesReply.Changes(new Arrivals.Page(List.of(), 1, 2, false));

	/** The arrivals that it was asked for. */
	public final Queue<ChangesRequest> ofChanges = new ConcurrentLinkedQueue<>();

	/** The pages that it was asked for. */
	public final Queue<PageRequest> ofPages = new ConcurrentLinkedQueue<>();

	private volatile @Nullable Origin lastOrigin;

	private volatile @Nullable Key alwaysRead;

	private volatile @Nullable Error fault;

	@Override
	public String nodeId() {
		return "replica";
	}

	/** On whose behalf the last entry came, or {@code null} before the first. */
	public @Nullable Origin lastOrigin() {
		return this.lastOrigin;
	}

	@Override
	public Mono<WriteReply> apply(Key key, Entry entry, Origin origin, Deadline deadline) {
		this.entries.put(key, entry);
		this.lastOrigin = origin;
		WriteReply reply = this.writeReply;
		return reply((reply != null) ? reply : WriteReply.Applied.COMPLETE);
	}

	@Override
	public Mono<ReadReply> read(Key key, int maxValueBytes, Deadline deadline) {
		ReadReply reply = this.readReply;
		Entry entry = this.entries.get(key);
		if (key.equals(this.alwaysRead) && entry != null) {
			return Mono.just(new ReadReply.Found(entry));
		}
		if (reply != null) {
			return reply(reply);
		}
		if (entry == null) {
			return reply(new ReadReply.Absent());
		}
		Summary summary = Summary.of(entry);
		if (summary.valueSizeBytes() > maxValueBytes) {
			return reply(new ReadReply.Summarized(summary));
		}
		this.sentBytes.addAndGet(summary.valueSizeBytes());
		return reply(new ReadReply.Found(entry));
	}

	@Override
	public Mono<PrepareReply> prepare(Key key, Proposal proposal, Deadline deadline) {
		this.ofRegisters.add(proposal);
		return reply(this.prepareReply);
	}

	@Override
	public void release(Key key, Timestamp ballot, Deadline deadline) {
		this.ofRegisters.add(ballot);
	}

	@Override
	public Mono<LookReply> look(Key key, int maxValueBytes, Deadline deadline) {
		return read(key, maxValueBytes, deadline).map((held) -> new LookReply(held, this.promise));
	}

	@Override
	public Mono<HandoverReply> handOver(Key key, Handover write, Deadline deadline) {
		this.ofRegisters.add(write);
		return reply(this.handoverReply);
	}

	/** Number of the pages without values that it was asked for. */
	public int headerPages() {
		return this.headerPages.get();
	}

	@Override
	public Mono<PageReply> page(PageRequest request, Deadline deadline) {
		this.ofPages.add(request);
		ScanRange wanted = request.range();
		NavigableMap<Key, Entry> from = this.entries.tailMap(wanted.start(), true);
		NavigableMap<Key, Entry> range = (wanted.end() != null) ? from.headMap(wanted.end(), false) : from;
		List<ScanPage.Item> items = (wanted.isDescending() ? range.descendingMap() : range).entrySet()
			.stream()
			.limit(request.limit().records())
			.map((each) -> new ScanPage.Item(each.getKey(), each.getValue()))
			.toList();
		boolean isCut = items.size() < range.size();
		Key last = isCut ? items.getLast().key() : null;
		Key next = (last != null && !wanted.isDescending()) ? range.higherKey(last) : last;
		this.headerPages.addAndGet(request.isHeadersOnly() ? 1 : 0);
		return reply(request.isHeadersOnly() ? new PageReply.Headers(new HeaderPage(
				items.stream().map((item) -> new HeaderPage.Header(item.key(), Summary.of(item.entry()), 0)).toList(),
				next)) : new PageReply.Page(new ScanPage(items, next)));
	}

	@Override
	public Mono<ChangesReply> changes(ChangesRequest request, Deadline deadline) {
		this.ofChanges.add(request);
		return reply(this.changesReply);
	}

	private <T> Mono<T> reply(T reply) {
		this.calls.incrementAndGet();
		Error thrown = this.fault;
		if (thrown != null) {
			throw thrown;
		}
		Sinks.One<T> sink = Sinks.one();
		Runnable emission = () -> sink.tryEmitValue(reply).orThrow();
		if (this.keepingBack) {
			this.keptBack.add(emission);
		}
		else {
			emission.run();
		}
		return sink.asMono().doOnCancel(this.cancelled::incrementAndGet);
	}

	public void put(Key key, Entry entry) {
		this.entries.put(key, entry);
	}

	public @Nullable Entry get(Key key) {
		return this.entries.get(key);
	}

	public void sayToWrites(WriteReply reply) {
		this.writeReply = reply;
	}

	public void sayToPrepares(PrepareReply reply) {
		this.prepareReply = reply;
	}

	public void sayToChanges(ChangesReply reply) {
		this.changesReply = reply;
	}

	public void sayToHandovers(HandoverReply reply) {
		this.handoverReply = reply;
	}

	/** Shows a promise to looks. */
	public void promise(Timestamp ballot) {
		this.promise = ballot;
	}

	public void sayToReads(ReadReply reply) {
		this.readReply = reply;
	}

	/** Reads of this key are answered at once, whatever is kept back, and not counted. */
	public void alwaysReads(Key key) {
		this.alwaysRead = key;
	}

	/** Throws an error in the place of each reply from now on, or none. */
	public void breakBy(@Nullable Error with) {
		this.fault = with;
	}

	/** From now on nothing is replied. */
	public void keepBack() {
		this.keepingBack = true;
	}

	/** Replies what was kept back, and at once from now on. */
	public void proceed() {
		this.keepingBack = false;
		Runnable emission = this.keptBack.poll();
		while (emission != null) {
			emission.run();
			emission = this.keptBack.poll();
		}
	}

	/** Bytes of the values that it has given to reads. */
	public long sentBytes() {
		return this.sentBytes.get();
	}

	public int calls() {
		return this.calls.get();
	}

	public int cancelled() {
		return this.cancelled.get();
	}

}
