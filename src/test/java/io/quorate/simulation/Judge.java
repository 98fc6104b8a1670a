package io.quorate.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import io.quorate.clock.Timestamp;
import io.quorate.consensus.Decision;
import io.quorate.consensus.Decisions;
import io.quorate.consensus.Decree;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.history.RegisterHistory.Verdict;
import io.quorate.history.RegisterHistory;
import io.quorate.membership.layout.Layout;
import io.quorate.replica.Origin;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.ring.RingPair;
import org.jspecify.annotations.Nullable;

/**
 * The judge of a run: one content for each version of the layout; each key is a register,
 * so that nothing acknowledged is lost, reads by majorities do not go back, and what is
 * deleted stays deleted; and a value of fewer copies comes only to nodes that are to hold
 * it by some layout that is in use.
 */
final class Judge {

	private static final int MOST_STATES = 300_000;

	private final SimulatedCluster cluster;

	private final Map<Long, Decree> decided = new HashMap<>();

	private final TreeMap<Long, Layout> layouts = new TreeMap<>();

	private final Map<Key, RegisterHistory> histories = new TreeMap<>();

	private final Map<Key, Timestamp> acknowledged = new HashMap<>();

	private final Set<Timestamp> deleted = new HashSet<>();

	/* The youngest deletion that has come to any node. */
	private final Map<Key, Timestamp> buried = new HashMap<>();

	private final List<String> violations = new ArrayList<>();

	private int undecided;

	private int purged;

	Judge(SimulatedCluster cluster) {
		this.cluster = cluster;
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
		}
	}

	void adopted(String node, Layout layout) {
		this.layouts.put(layout.version(), layout);
	}

	/** The highest timestamp that was acknowledged of a key, zero for none. */
	Timestamp acknowledged(Key key) {
		return this.acknowledged.getOrDefault(key, Timestamp.ZERO);
	}

	void acknowledged(Key key, Timestamp timestamp, boolean isDeletion) {
		if (timestamp.isAfter(acknowledged(key))) {
			this.acknowledged.put(key, timestamp);
		}
		if (isDeletion) {
			this.deleted.add(timestamp);
		}
	}

	/**
	 * A read has found an entry: it is not older than what was acknowledged before it
	 * began. A deletion may be purged.
	 */
	void found(Key key, @Nullable Entry entry, Timestamp known, SimulatedProcess coordinator) {
		boolean isLost = (entry != null) ? known.isAfter(entry.timestamp())
				: known.isAfter(this.buried.getOrDefault(key, Timestamp.ZERO));
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
		if (entry.isTombstone()) {
			this.buried.merge(key, entry.timestamp(), (one, other) -> one.isAfter(other) ? one : other);
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
		this.histories.forEach((key, history) -> {
			history.readsThatGoBack().forEach((back) -> all.add("%s: %s".formatted(key, back)));
			Verdict verdict = history.linearizable(MOST_STATES);
			if (verdict == Verdict.VIOLATED) {
				all.add("%s is no register:%n%s".formatted(key, history));
			}
			this.undecided += (verdict == Verdict.UNDECIDED) ? 1 : 0;
		});
		return all;
	}

	/** All that clients were told. */
	String told() {
		return this.histories + " " + this.acknowledged;
	}

	/** The number of keys of which the check has given up. */
	int undecided() {
		return this.undecided;
	}

}
