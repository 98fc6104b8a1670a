package io.quorate.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import io.quorate.clock.Timestamp;
import io.quorate.consensus.Decision;
import io.quorate.consensus.Decisions;
import io.quorate.consensus.Decree;
import io.quorate.coordinator.DrivenCoordinator;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Value;
import io.quorate.history.RegisterHistory.Verdict;
import io.quorate.history.RegisterHistory;
import io.quorate.membership.agreement.DrivenMember;
import io.quorate.membership.layout.ChangeRequest;
import io.quorate.membership.layout.Layout;
import io.quorate.replica.Origin;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.ring.RingPair;
import io.quorate.storage.StoreIdentity;
import org.jspecify.annotations.Nullable;

/**
 * The judge of a run: one content for each version of the layout, which may follow the
 * one before, and of which operators are told the truth; each key is a register, so that
 * nothing acknowledged is lost, reads by majorities do not go back, and what is deleted
 * stays deleted; and a value of fewer copies comes only to nodes that are to hold it by
 * some layout that is in use.
 */
final class Judge {

	private static final int MOST_STATES = 300_000;

	private final SimulatedCluster cluster;

	private final Map<Long, Decree> decided = new HashMap<>();

	private final TreeMap<Long, Layout> layouts = new TreeMap<>();

	private final Map<Key, RegisterHistory> histories = new TreeMap<>();

	/* What every request that begins now must know of. */
	private final Map<Key, Timestamp> known = new HashMap<>();

	private final Set<Timestamp> deleted = new HashSet<>();

	/* The youngest deletion, or value that expires, that any store has taken. */
	private final Map<Key, Timestamp> buried = new HashMap<>();

	/* All that any store has taken. */
	private final Map<Timestamp, Entry> stored = new HashMap<>();

	private final Set<Value> storedValues = new HashSet<>();

	private final Set<Value> refused = new HashSet<>();

	/* Instants at which majorities found values to be over. */
	private final Map<Timestamp, Long> expired = new HashMap<>();

	/*
	 * The last plan of each write, and the nodes of which it is known that they missed
	 * it.
	 */
	private final Map<Timestamp, Plan> plans = new HashMap<>();

	private final Map<String, Timestamp> missed = new HashMap<>();

	private final Set<Timestamp> acknowledged = new HashSet<>();

	private final Map<Timestamp, Entry.Live> valuesOf = new HashMap<>();

	private final List<String> violations = new ArrayList<>();

	private int purged;

	Judge(SimulatedCluster cluster) {
		this.cluster = cluster;
	}

	/* The nodes that a write is sent to, as planned by a layout. */
	private record Plan(long layout, Set<String> nodes) {
	}

	RegisterHistory history(Key key) {
		return this.histories.computeIfAbsent(key, (_) -> new RegisterHistory());
	}

	void decided(Decisions known) {
		for (Decision decision : known.kept()) {
			Decree before = this.decided.putIfAbsent(decision.version(), decision.decree());
			if (before != null && !before.equals(decision.decree())) {
				violated("version %d has two contents".formatted(decision.version()));
			}
			Decision base = decisionOf(decision.version() - 1);
			if (before == null && base != null && !DrivenMember.mayFollow(base, decision.decree())) {
				violated("version %d may not follow".formatted(decision.version()));
			}
		}
	}

	private @Nullable Decision decisionOf(long version) {
		Decree decree = this.decided.get(version);
		return (decree != null) ? new Decision(version, decree) : null;
	}

	/**
	 * An operator who asked for a change after a version is told that it was begun, or
	 * that another one was.
	 */
	void told(ChangeRequest change, String by, long version, boolean isBegun) {
		Decision base = decisionOf(version);
		Decree next = this.decided.get(version + 1);
		if (base == null || next == null) {
			if (base == null || isBegun) {
				violated("nothing is decided after version %d, not even %s".formatted(version, change));
			}
		}
		else if (isBegun != DrivenMember.isAskedFor(change, by, base, next)) {
			violated("an operator is told that %s after version %d was %s".formatted(change, version,
					isBegun ? "begun" : "overtaken"));
		}
	}

	/** A node does not start, because it is taken for one that has left. */
	void startsNoMore(String node, StoreIdentity identity) {
		if (this.decided.values().stream().noneMatch((decree) -> DrivenMember.isMember(decree, node, identity))) {
			violated("%s has left, and was never a member".formatted(node));
		}
	}

	void adopted(String node, Layout layout) {
		this.layouts.put(layout.version(), layout);
	}

	/**
	 * The highest timestamp of a key that was acknowledged, or found by a majority, zero
	 * for none.
	 */
	Timestamp known(Key key) {
		return this.known.getOrDefault(key, Timestamp.ZERO);
	}

	private void knows(Key key, Timestamp timestamp) {
		if (timestamp.isAfter(known(key))) {
			this.known.put(key, timestamp);
		}
	}

	/**
	 * A write is acknowledged.
	 * @param known what was known before it began, and is older if writes are ordered
	 */
	void acknowledged(Key key, Timestamp timestamp, Timestamp known, boolean isDeletion) {
		knows(key, timestamp);
		this.acknowledged.add(timestamp);
		if (isDeletion) {
			this.deleted.add(timestamp);
		}
		if (known.isAfter(timestamp)) {
			violated("a write of %s has %s after %s".formatted(key, timestamp, known));
		}
	}

	/** A client is told that a value is not written, and will not be. */
	void refused(Value value) {
		this.refused.add(value);
	}

	/**
	 * A write is sent to a node, as is planned by a layout. What a round sends again once
	 * it is acknowledged is no part of it.
	 */
	void sent(Entry entry, String node, long layout) {
		if (this.acknowledged.contains(entry.version())) {
			return;
		}
		Plan before = this.plans.get(entry.version());
		Plan its = (before != null && before.layout() == layout) ? before : new Plan(layout, new TreeSet<>());
		this.plans.put(entry.version(), its);
		its.nodes().add(node);
	}

	/** A coordinator notes that a node has missed a write. */
	void missed(Key key, Entry entry, String node) {
		this.missed.merge(node + key, entry.version(), (one, other) -> one.isAfter(other) ? one : other);
	}

	/**
	 * A replica that does not hold what was acknowledged is known to have missed that, or
	 * what has replaced it, unless it has lost that since.
	 */
	void requireMissesKnown(Key key, Timestamp timestamp) {
		Plan plan = this.plans.get(timestamp);
		for (String node : (plan != null) ? plan.nodes() : Set.<String>of()) {
			SimulatedProcess its = this.cluster.node(node).process();
			if (its != null && its.isReady() && isReplica(its.layouts().current().rings(), node, key)) {
				Entry held = its.directory().tables.entry(key);
				Timestamp missed = this.missed.getOrDefault(node + key, Timestamp.ZERO);
				if ((held == null || timestamp.isAfter(held.version())) && timestamp.isAfter(missed)) {
					violated("%s has missed %s of %s, and nobody knows".formatted(node, timestamp, key));
				}
			}
		}
	}

	private static boolean isReplica(RingPair rings, String node, Key key) {
		return rings.replicas(rings.partitionOf(key)).stream().map(Member::id).anyMatch(node::equals);
	}

	/** A store takes an entry. */
	void stored(Key key, Entry entry) {
		this.stored.put(entry.timestamp(), entry);
		if (entry instanceof Entry.Live live) {
			this.storedValues.add(live.value());
			this.valuesOf.put(live.version(), live);
		}
		if (entry.isTombstone() || entry.expiryMillis() != Entry.NEVER) {
			this.buried.merge(key, entry.timestamp(), (one, other) -> one.isAfter(other) ? one : other);
		}
	}

	/** The value that any store has taken with a version, {@code null} for none. */
	Entry.@Nullable Live valueOf(Timestamp version) {
		return this.valuesOf.get(version);
	}

	/**
	 * What was over for one reader is over for each that begins after it: replicas carry
	 * the one's clock to the other.
	 */
	void expires(Entry entry, long began, long beganMillis, long endedMillis) {
		if (!entry.isAbsentAt(endedMillis) && this.expired.getOrDefault(entry.timestamp(), Long.MAX_VALUE) < began) {
			violated("%s had expired, and has not".formatted(entry));
		}
		if (entry instanceof Entry.Live && entry.isAbsentAt(beganMillis)) {
			this.expired.putIfAbsent(entry.timestamp(), this.cluster.time().nanos());
		}
	}

	/** A scan has found some keys, of which it knows all that was known before. */
	void listed(List<DrivenCoordinator.Found> found, ScanRange range, Map<Key, Timestamp> known) {
		Map<Key, Timestamp> all = new HashMap<>();
		Key last = null;
		for (DrivenCoordinator.Found each : found) {
			if (last != null && range.order().compare(each.key(), last) <= 0) {
				violated("a scan has %s after %s".formatted(each.key(), last));
			}
			last = each.key();
			all.put(last, each.timestamp());
		}
		known.forEach((key, timestamp) -> {
			if (timestamp.isAfter(all.getOrDefault(key, this.buried.getOrDefault(key, Timestamp.ZERO)))) {
				violated("a scan has %s of %s after %s".formatted(all.get(key), key, timestamp));
			}
		});
	}

	/**
	 * A read has found an entry: it is not older than what was known before it began. A
	 * deletion may be purged.
	 * @param isPromise whether each read that begins now finds it, too
	 */
	void found(Key key, @Nullable Entry entry, Timestamp known, SimulatedProcess coordinator, boolean isPromise) {
		boolean isLost = (entry != null) ? known.isAfter(entry.version())
				: known.isAfter(this.buried.getOrDefault(key, Timestamp.ZERO));
		if (entry != null && !entry.equals(this.stored.get(entry.timestamp()))) {
			violated("%s reads %s of %s, which was not written".formatted(coordinator, entry, key));
		}
		if (entry != null && isPromise) {
			knows(key, entry.version());
		}
		if (isLost) {
			violated("%s reads %s of %s, and %s was acknowledged%s".formatted(coordinator, entry, key, known,
					this.deleted.contains(known) ? ", a deletion" : ""));
		}
	}

	/** Whether no change that declares a member dead is under way, as far as is known. */
	boolean areAllDeadGone() {
		return this.layouts.isEmpty() || this.layouts.lastEntry().getValue().dead().isEmpty();
	}

	/** Some deletions were purged at a node. */
	void purged(int number) {
		this.purged += number;
	}

	int purged() {
		return this.purged;
	}

	/** The number of versions of the layout that were adopted. */
	int versions() {
		return this.layouts.size();
	}

	/**
	 * An entry comes to a node. A hint may be for a node that was to hold the entry when
	 * it was written.
	 */
	void arrives(SimulatedProcess to, Key key, Entry entry, Origin origin) {
		Layout own = to.layouts().current();
		if (to.isLate() || to.isFromTheFuture(entry)) {
			violated("%s takes %s %s".formatted(to, entry, to.isLate() ? "after its deadline" : "from the future"));
		}
		if (origin instanceof Origin.Hint || entry.isTombstone() || own.rings().isOfAll(entry.from())) {
			return;
		}
		boolean isHolder = isHolder(own, to.id(), key, entry) || this.layouts.tailMap(own.version(), false)
			.values()
			.stream()
			.anyMatch((later) -> isHolder(later, to.id(), key, entry));
		if (!isHolder) {
			violated("%s gets an entry of %d copies, and is none of its nodes by %s, %s".formatted(to, entry.from(),
					own.rings().replicas(own.rings().partitionOf(key)), origin));
		}
	}

	private static boolean isHolder(Layout layout, String node, Key key, Entry entry) {
		RingPair rings = layout.rings();
		return isHolder(rings.before(), node, key, entry.from()) || isHolder(rings.after(), node, key, entry.from());
	}

	private static boolean isHolder(Ring ring, String node, Key key, int copies) {
		return ring.preferenceList(key)
			.subList(0, Math.min(copies, ring.replicationFactor()))
			.stream()
			.map(Member::id)
			.anyMatch(node::equals);
	}

	void violated(String what) {
		this.violations.add("%d ms: %s".formatted(this.cluster.time().millis(), what));
	}

	/** Judges the whole run; the sentences say what is wrong. */
	List<String> verdict() {
		List<String> all = new ArrayList<>(this.violations);
		this.refused.stream().filter(this.storedValues::contains).forEach((value) -> all.add(value + " was refused"));
		this.histories.forEach((key, history) -> {
			history.readsThatGoBack().forEach((back) -> all.add("%s: %s".formatted(key, back)));
			Verdict verdict = history.linearizable(MOST_STATES);
			if (verdict == Verdict.VIOLATED) {
				all.add("%s is no register:%n%s".formatted(key, history));
			}
		});
		return all;
	}

	/** All that clients were told. */
	String told() {
		return this.histories + " " + this.known;
	}

}
