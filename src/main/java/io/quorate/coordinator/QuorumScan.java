package io.quorate.coordinator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import io.quorate.clock.Deadline;
import io.quorate.coordinator.QuorumNotReachedException.Said;
import io.quorate.coordinator.RefusedException.Why;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.replica.Failure;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.PageReply;
import io.quorate.replica.Replica;
import io.quorate.storage.PageLimit;
import io.quorate.storage.ScanPage;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * A scan of the whole cluster: the merge of the pages of all nodes in the order of their
 * keys. A node has passed a key when it has shown all that it holds up to it. A key is
 * decided by those of its first {@code from} replicas that have passed it, which are
 * {@code ack} or more; the others are not looked at.
 * <p>
 * A state machine: its fields are touched by one turn at a time. A node is asked for its
 * next page when the one before is used up and somebody waits for records; pages of all
 * nodes together are bounded by {@value #PAGES_BYTES} bytes or a record each. A node that
 * fails is asked again for the next page of the scan.
 */
final class QuorumScan implements RangeScan {

	private static final int PAGE_RECORDS = 1024;

	private static final int PAGES_BYTES = 256 * 1024;

	private static final int PAGE_BYTES_MIN = 16 * 1024;

	private static final int PAGE_EXAMINED = 4096;

	private final Reading reading;

	private final PreferenceLists lists;

	private final Consistency consistency;

	private final @Nullable Key end;

	private final Duration timeout;

	private final Map<String, NodePages> nodes = new LinkedHashMap<>();

	private final Turns turns = new Turns(this::breakDown);

	private final List<StaleRecord> stale = new ArrayList<>();

	private @Nullable Key decided;

	private @Nullable Demand demand;

	private long left;

	/* Whether the pages before had no row. */
	private boolean isSparse;

	QuorumScan(Reading reading, PreferenceLists lists, Key start, @Nullable Key end, long limit,
			Consistency consistency, Duration timeout) {
		this.reading = reading;
		this.lists = lists;
		this.consistency = consistency;
		this.end = end;
		this.left = limit;
		this.timeout = timeout;
		for (Replica replica : lists.allReplicas()) {
			this.nodes.put(replica.nodeId(), new NodePages(replica, start));
		}
	}

	@Override
	public Mono<List<Row>> nextPage() {
		return Mono.create((sink) -> {
			Demand next = new Demand(sink, Deadline.after(this.timeout));
			this.reading.deadlines().watch(next);
			sink.onDispose(() -> this.reading.deadlines().unwatch(next));
			this.turns.run(() -> begin(next));
		});
	}

	private void begin(Demand next) {
		this.demand = next;
		for (NodePages node : this.nodes.values()) {
			node.failure = null;
		}
		advance();
	}

	/** Goes as far as what has come allows. */
	private void advance() {
		List<Row> rows = new ArrayList<>();
		while (this.demand != null) {
			if (this.left == 0) {
				give(rows);
				return;
			}
			askDryNodes(this.demand.deadline);
			if (!isQuorate(QuorumScan::isLost)) {
				breakDown(isOverloaded() ? overloaded() : notReached());
				return;
			}
			boolean isWaiting = this.nodes.values().stream().anyMatch((node) -> node.isDry() && !node.isOut());
			if (isWaiting || !isQuorate(NodePages::isOut)) {
				return;
			}
			boolean isEnd = merge(rows);
			this.isSparse = rows.isEmpty();
			if (isEnd || !rows.isEmpty()) {
				give(rows);
			}
		}
	}

	private void askDryNodes(Deadline deadline) {
		for (NodePages node : this.nodes.values()) {
			if (node.isDry() && !node.isAsked && node.failure == null) {
				node.isAsked = true;
				node.isLeftBehind = this.reading.suspects().isSuspect(node.replica.nodeId());
				node.replica.page(node.next(this.decided), this.end, limit(), deadline)
					.subscribe((reply) -> this.turns.run(() -> arrived(node, reply)));
			}
		}
	}

	private PageLimit limit() {
		int sizeBytes = Math.max(PAGES_BYTES / this.nodes.size(), PAGE_BYTES_MIN);
		// Deletions count as records of a page: few rows asked for need not be a few
		// records.
		int records = this.isSparse ? PAGE_RECORDS : (int) Math.min(PAGE_RECORDS, this.left);
		return new PageLimit(records, sizeBytes, PAGE_EXAMINED);
	}

	private void arrived(NodePages node, PageReply reply) {
		node.isAsked = false;
		node.isLeftBehind = false;
		switch (reply) {
			case PageReply.Page(ScanPage page) -> node.add(page, this.decided);
			case PageReply.Failed(Failure failure) -> node.failure = failure;
		}
		advance();
	}

	/** Whether every key has its quorum without certain nodes. */
	private boolean isQuorate(Predicate<NodePages> without) {
		if (this.nodes.values().stream().noneMatch(without)) {
			return true;
		}
		Collection<List<Replica>> all = this.lists.everyList();
		return all.stream().allMatch((list) -> {
			long with = list.stream()
				.limit(this.consistency.from())
				.filter((replica) -> !without.test(node(replica)))
				.count();
			return with >= this.consistency.ack();
		});
	}

	private NodePages node(Replica replica) {
		NodePages node = this.nodes.get(replica.nodeId());
		if (node == null) {
			throw new IllegalStateException("node %s is in a list, but not among all".formatted(replica.nodeId()));
		}
		return node;
	}

	/**
	 * Decides keys as long as every node that is not out has passed them.
	 * @return whether the range has come to its end
	 */
	private boolean merge(List<Row> rows) {
		long nowMillis = this.reading.stamps().nowMillis();
		while (this.left > 0 && this.demand != null) {
			Key key = lowestHead();
			if (key == null) {
				return true;
			}
			Entry winner = decide(key);
			this.decided = key;
			if (winner instanceof Entry.Live live && !live.isAbsentAt(nowMillis)) {
				rows.add(new Row(key, live));
				this.left--;
			}
			if (this.nodes.values().stream().anyMatch((node) -> node.isDry() && !node.isOut())) {
				return false;
			}
		}
		return false;
	}

	private @Nullable Key lowestHead() {
		Key lowest = null;
		for (NodePages node : this.nodes.values()) {
			Key head = node.head();
			if (head != null && (lowest == null || head.compareTo(lowest) < 0)) {
				lowest = head;
			}
		}
		return lowest;
	}

	/** The entry of a key that all nodes but those that are out have passed. */
	private @Nullable Entry decide(Key key) {
		List<Holding> holdings = new ArrayList<>();
		int answers = 0;
		Entry winner = null;
		List<Replica> replicas = this.lists.replicasOf(key);
		for (int i = 0; i < replicas.size(); i++) {
			NodePages node = node(replicas.get(i));
			boolean isOut = node.isOut();
			Entry entry = node.take(key);
			if (isOut || (entry != null && !this.reading.stamps().observe(entry.timestamp()))) {
				continue;
			}
			holdings.add(new Holding(i, node.replica, entry));
			if (i < this.consistency.from()) {
				answers++;
				winner = merged(winner, entry);
			}
		}
		this.nodes.values().forEach((node) -> node.take(key));
		if (answers < this.consistency.ack()) {
			fail();
			return null;
		}
		if (winner != null) {
			noteStale(key, winner, holdings, replicas.size());
		}
		return winner;
	}

	private static @Nullable Entry merged(@Nullable Entry one, @Nullable Entry other) {
		if (one == null || other == null) {
			return (one != null) ? one : other;
		}
		return Entry.merge(one, other);
	}

	private void noteStale(Key key, Entry winner, List<Holding> holdings, int replicationFactor) {
		int copies = winner.isTombstone() ? replicationFactor : Math.min(winner.from(), replicationFactor);
		List<Replica> lacking = holdings.stream()
			.filter((holding) -> holding.place < copies && holding.lacks(winner))
			.map(Holding::replica)
			.toList();
		if (!lacking.isEmpty()) {
			this.stale.add(new StaleRecord(key, winner, lacking));
		}
	}

	private void give(List<Row> rows) {
		Demand given = this.demand;
		if (given == null) {
			return;
		}
		this.demand = null;
		given.sink.success(rows.isEmpty() ? null : rows);
		for (StaleRecord record : this.stale) {
			this.reading.lateRepairs().repair(record.key, record.winner, record.lacking, given.deadline);
		}
		this.stale.clear();
	}

	private static boolean isLost(NodePages node) {
		return node.isDry() && node.failure != null;
	}

	/** Whether nothing but overload keeps nodes from answering. */
	private boolean isOverloaded() {
		return this.nodes.values()
			.stream()
			.map((node) -> node.failure)
			.allMatch((failure) -> failure == null || failure.reason() == Reason.OVERLOADED);
	}

	private RefusedException overloaded() {
		return new RefusedException(Why.OVERLOADED, "too many nodes are overloaded: " + said());
	}

	private void fail() {
		breakDown(notReached());
	}

	private QuorumNotReachedException notReached() {
		int acks = (int) this.nodes.values().stream().filter((node) -> !node.isDry()).count();
		return new QuorumNotReachedException(this.consistency.ack(), acks, false, said());
	}

	private List<Said> said() {
		return this.nodes.values().stream().map((node) -> new Said(node.replica.nodeId(), node.said())).toList();
	}

	private void breakDown(Throwable cause) {
		Demand failed = this.demand;
		this.demand = null;
		if (failed != null) {
			failed.sink.error(cause);
		}
	}

	/** What a replica that has passed a key holds of it. */
	private record Holding(int place, Replica replica, @Nullable Entry entry) {

		private boolean lacks(Entry winner) {
			return this.entry == null || !Entry.merge(this.entry, winner).equals(this.entry);
		}

	}

	private record StaleRecord(Key key, Entry winner, List<Replica> lacking) {
	}

	/** Somebody who waits for records. */
	private final class Demand implements DeadlineSweep.Waiting {

		private final MonoSink<List<Row>> sink;

		private final Deadline deadline;

		private Demand(MonoSink<List<Row>> sink, Deadline deadline) {
			this.sink = sink;
			this.deadline = deadline;
		}

		@Override
		public void onTick(long nowNanos) {
			if (this.deadline.nanos() - nowNanos <= 0) {
				QuorumScan.this.turns.run(() -> {
					if (QuorumScan.this.demand == this) {
						fail();
					}
				});
			}
		}

		@Override
		public void onSuspect(String node) {
			QuorumScan.this.turns.run(() -> {
				NodePages silent = QuorumScan.this.nodes.get(node);
				if (silent != null && silent.isAsked) {
					silent.isLeftBehind = true;
					advance();
				}
			});
		}

	}

}
