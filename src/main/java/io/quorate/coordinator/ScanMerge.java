package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import io.quorate.coordinator.RangeScan.Found;
import io.quorate.coordinator.RangeScan.Listed;
import io.quorate.coordinator.RangeScan.Row;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Summary;
import io.quorate.entry.Versioned;
import io.quorate.replica.Replica;
import org.jspecify.annotations.Nullable;

/**
 * The merge of the pages of all nodes in the order of the range. A node has passed a key
 * when it has sent all that it holds up to that key. A key is decided by those of its
 * first {@code from} replicas that have passed it, which are {@code ack} or more, on each
 * side of its {@link ReplicaSet}; records of other nodes do not count. Asks no node; used
 * by one turn at a time.
 */
final class ScanMerge {

	private final PreferenceLists lists;

	private final Consistency consistency;

	private final TimestampSource timestampSource;

	private final ScanRange range;

	private final Comparator<Key> order;

	private final Map<String, NodePages> nodes = new LinkedHashMap<>();

	private final Map<ReplicaSet, ReplicaPlan> plans = new HashMap<>();

	private final List<StaleRecord> stale = new ArrayList<>();

	private @Nullable Key decided;

	private long examined;

	ScanMerge(PreferenceLists lists, Consistency consistency, TimestampSource timestampSource, ScanRange range) {
		this.lists = lists;
		this.consistency = consistency;
		this.timestampSource = timestampSource;
		this.range = range;
		this.order = range.order();
		for (Replica replica : lists.allReplicas()) {
			this.nodes.put(replica.nodeId(), new NodePages(replica, range));
		}
	}

	/**
	 * The merge of the rest by another layout: all nodes send their pages anew, from the
	 * last key that is decided on.
	 */
	ScanMerge goneOn(PreferenceLists later) {
		ScanMerge rest = new ScanMerge(later, this.consistency, this.timestampSource, this.range);
		rest.decided = this.decided;
		rest.examined = this.examined;
		rest.stale.addAll(this.stale);
		return rest;
	}

	Collection<NodePages> nodes() {
		return this.nodes.values();
	}

	/** The last key that is decided, or {@code null} if none is. */
	@Nullable Key decided() {
		return this.decided;
	}

	/** Number of keys examined since the last call. */
	long takeExamined() {
		long taken = this.examined;
		this.examined = 0;
		return taken;
	}

	/** Whether every key has its quorum without certain nodes. */
	boolean isQuorate(Predicate<NodePages> without) {
		if (this.nodes.values().stream().noneMatch(without)) {
			return true;
		}
		return this.lists.everySet().stream().map(this::plan).allMatch((plan) -> isQuorate(plan, without));
	}

	private boolean isQuorate(ReplicaPlan plan, Predicate<NodePages> without) {
		for (QuorumSide side : plan.sides()) {
			if (side.count((replica) -> !without.test(node(plan.all().get(replica).nodeId()))) < side.ack()) {
				return false;
			}
		}
		return true;
	}

	private ReplicaPlan plan(ReplicaSet set) {
		ReplicaPlan known = this.plans.get(set);
		if (known != null) {
			return known;
		}
		ReplicaPlan plan = set.plan(this.consistency);
		this.plans.put(set, plan);
		return plan;
	}

	private NodePages node(String id) {
		NodePages node = this.nodes.get(id);
		if (node == null) {
			throw new IllegalStateException("node %s is in a replica set, but not among all nodes".formatted(id));
		}
		return node;
	}

	private boolean isAwaiting() {
		for (NodePages node : this.nodes.values()) {
			if (node.isAwaited()) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Decides keys as long as every node that is not out has passed them.
	 * @param rows list to which the rows found are added
	 * @param most most rows that may be found
	 */
	Pause merge(List<Row> rows, long most) {
		long nowMillis = this.timestampSource.nowMillis();
		while (rows.size() < most && !isAwaiting()) {
			Key key = firstHead();
			if (key == null) {
				return Pause.END;
			}
			ReplicaPlan plan = plan(this.lists.replicasOf(key));
			List<Holding> holdings = take(key, plan);
			this.decided = key;
			this.examined++;
			if (!isAnswered(plan, holdings)) {
				return Pause.UNDECIDED;
			}
			Versioned winner = winner(plan, holdings);
			if (winner instanceof Entry entry) {
				noteStale(key, plan, entry, holdings);
			}
			if (winner != null && !winner.isAbsentAt(nowMillis)) {
				rows.add(row(key, winner));
			}
		}
		return Pause.DRY;
	}

	private static Row row(Key key, Versioned state) {
		return (state instanceof Entry.Live live) ? new Found(key, live) : new Listed(key, (Summary) state);
	}

	private @Nullable Key firstHead() {
		Key first = null;
		for (NodePages node : this.nodes.values()) {
			Key head = node.head();
			if (head != null && (first == null || this.order.compare(head, first) < 0)) {
				first = head;
			}
		}
		return first;
	}

	/**
	 * Takes out the entries of a key, and returns those of its replicas that have passed
	 * the key and are believed.
	 */
	private List<Holding> take(Key key, ReplicaPlan plan) {
		List<Replica> replicas = plan.all();
		List<Holding> holdings = new ArrayList<>(replicas.size());
		for (int i = 0; i < replicas.size(); i++) {
			NodePages node = node(replicas.get(i).nodeId());
			boolean hasPassed = !node.isOut();
			Versioned state = node.take(key);
			if (hasPassed && (state == null || this.timestampSource.observe(state.timestamp()))) {
				holdings.add(new Holding(i, node.replica, state));
			}
		}
		this.nodes.values().forEach((node) -> node.take(key));
		return holdings;
	}

	private static boolean isAnswered(ReplicaPlan plan, List<Holding> holdings) {
		for (QuorumSide side : plan.sides()) {
			int answers = 0;
			for (Holding holding : holdings) {
				answers += side.asks(holding.place) ? 1 : 0;
			}
			if (answers < side.ack()) {
				return false;
			}
		}
		return true;
	}

	private static @Nullable Versioned winner(ReplicaPlan plan, List<Holding> holdings) {
		Versioned winner = null;
		for (Holding holding : holdings) {
			Versioned state = holding.state;
			if (state != null && holding.place < plan.asked()) {
				winner = (winner == null) ? state : ScanRecord.winner(winner, state);
			}
		}
		return winner;
	}

	/**
	 * Notes the replicas that need an entry. A scan without values has no entry to send:
	 * the comparison of stores, or a read of the key, finds what it has passed.
	 */
	private void noteStale(Key key, ReplicaPlan plan, Entry winner, List<Holding> holdings) {
		List<Replica> lacking = new ArrayList<>(0);
		for (Holding holding : holdings) {
			if (plan.isFor(holding.place, winner) && holding.lacks(winner)) {
				lacking.add(holding.replica);
			}
		}
		if (!lacking.isEmpty()) {
			this.stale.add(new StaleRecord(key, winner, lacking));
		}
	}

	/** The stale records found since the last call. */
	List<StaleRecord> takeStale() {
		List<StaleRecord> taken = List.copyOf(this.stale);
		this.stale.clear();
		return taken;
	}

	/** The reasons for which a merge stops. */
	enum Pause {

		/** A node has to send more, or enough was found. */
		DRY,

		/** The range has ended. */
		END,

		/** Too few of the replicas that have passed a key are believed. */
		UNDECIDED

	}

	/** The entry of a key at a replica that has passed the key. */
	private record Holding(int place, Replica replica, @Nullable Versioned state) {

		private boolean lacks(Entry winner) {
			return this.state == null || !ScanRecord.winner(this.state, winner).equals(this.state);
		}

	}

	/** An entry, and the replicas that hold none or an older one of its key. */
	record StaleRecord(Key key, Entry winner, List<Replica> lacking) {
	}

}
