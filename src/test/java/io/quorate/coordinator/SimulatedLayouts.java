package io.quorate.coordinator;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.quorate.coordinator.SimulatedCluster.Node;
import io.quorate.coordinator.SimulatedCluster.Shape;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.FencedReplica;
import io.quorate.replica.Replica;
import io.quorate.replica.WritesUnderWay;
import io.quorate.ring.RingPair;
import org.jspecify.annotations.Nullable;

/**
 * The layouts of a simulated cluster: one, or those of a change, which its nodes adopt
 * one after the other. What is to be copied between them is copied at once, when all have
 * adopted the joint one: from then on they refuse requests by the layout of before. What
 * a node holds of a key before it gains that key is dropped.
 */
final class SimulatedLayouts {

	/* More than there are. */
	private static final int ALL = Integer.MAX_VALUE;

	/* One in so many operations has a node adopt a layout. */
	private static final int PATIENCE = 5;

	private final SimulatedCluster cluster;

	private final Shape shape;

	private final FixedLists before;

	private final FixedLists after;

	private final PreferenceLists every;

	private final Map<Holding, List<String>> holders = new HashMap<>();

	private boolean isCopied;

	SimulatedLayouts(SimulatedCluster cluster, Shape shape) {
		this.cluster = cluster;
		this.shape = shape;
		List<ScriptedReplica> names = cluster.nodes.stream().map((node) -> new ScriptedReplica(node.id)).toList();
		this.before = before(names);
		this.after = after(names);
		this.every = new JointLists(this.before, this.after);
	}

	private FixedLists before(List<? extends Replica> all) {
		return new FixedLists(this.shape.replicationFactor(), List.copyOf(all.subList(0, this.shape.membersBefore())));
	}

	private FixedLists after(List<? extends Replica> all) {
		return new FixedLists(this.shape.replicasAfter(), List.copyOf(all.subList(0, this.shape.membersAfter())),
				this.shape.replicationFactor());
	}

	/** The lists by which a node plans. */
	Map<Step, PreferenceLists> lists(List<? extends Replica> all) {
		List<Replica> joint = planned(all, Step.JOINT);
		return Map.of(Step.BEFORE, before(planned(all, Step.BEFORE)), Step.JOINT,
				new JointLists(before(joint), after(joint)), Step.AFTER, after(planned(all, Step.AFTER)));
	}

	private static List<Replica> planned(List<? extends Replica> all, Step step) {
		return all.stream().map((replica) -> replica.planned(step.version())).toList();
	}

	/** The ids of the nodes that are to hold an entry, by any of the layouts. */
	List<String> holders(Key key, Entry entry) {
		int copies = (entry.isTombstone() || RingPair.isOfAll(entry.from(), this.shape.replicationFactor())) ? ALL
				: entry.from();
		return this.holders.computeIfAbsent(new Holding(key, copies), (_) -> ids(this.every, key, copies));
	}

	static List<String> ids(PreferenceLists lists, Key key, int count) {
		return lists.replicasOf(key).plan(new Consistency(1, count)).replicas().stream().map(Replica::nodeId).toList();
	}

	/** Whether some node has adopted a layout that another one has not. */
	boolean isChanging() {
		return this.cluster.nodes.stream().map((node) -> node.step).distinct().count() > 1;
	}

	boolean isCopied() {
		return this.isCopied;
	}

	/**
	 * Has one node adopt its next layout now and then, so that nodes coordinate by
	 * different ones for a while, or copies.
	 */
	void goOn() {
		List<Node> up = this.cluster.nodes.stream().filter((node) -> !node.isDown).toList();
		Node node = up.get(this.cluster.random.nextInt(up.size()));
		boolean isPatient = this.cluster.random.nextInt(PATIENCE) != 0;
		if (this.cluster.nodes.stream().anyMatch((each) -> each.step == Step.BEFORE)) {
			if (node.step == Step.BEFORE && !isPatient) {
				adopt(node, Step.JOINT);
			}
		}
		else if (this.isCopied) {
			if (!isPatient) {
				adopt(node, Step.AFTER);
			}
		}
		else if (this.cluster.nodes.stream().noneMatch((each) -> each.isClosed)) {
			this.cluster.nodes.forEach((each) -> this.cluster.copy(each, (key, source) -> isSource(key, each, source)));
			this.isCopied = true;
		}
	}

	/**
	 * Whether a node copies a key from another one, as {@code MoveSources} has it: from
	 * all of before what it gains or is more preferred for, and of what gets fewer
	 * replicas from those that lose it.
	 */
	private boolean isSource(Key key, Node node, Node source) {
		List<String> from = ids(this.before, key, ALL);
		List<String> to = ids(this.after, key, ALL);
		int position = to.indexOf(node.id);
		if (position < 0 || !from.contains(source.id)) {
			return false;
		}
		return !from.subList(0, Math.min(position + 1, from.size())).contains(node.id)
				|| (to.size() < from.size() && !to.contains(source.id));
	}

	/** Of two nodes the one that is behind adopts the layout of the other one. */
	void learn(Node one, Node other) {
		Step later = (one.step.compareTo(other.step) > 0) ? one.step : other.step;
		adopt(one, later);
		adopt(other, later);
	}

	/** A node's replica behind its fence, see {@code AdoptedLayoutFence}. */
	static Replica fenced(Replica replica, Node node) {
		return new FencedReplica(replica, (layout, written) -> refusal(node, layout, written), new WritesUnderWay());
	}

	private static @Nullable Failure refusal(Node node, long layout, @Nullable Key written) {
		if (layout < node.step.version()) {
			return new Failure(Reason.STALE_LAYOUT, "as the simulation wants");
		}
		boolean isAhead = layout > node.step.version() && written != null
				&& node.lists()
					.replicasOf(written)
					.replicas()
					.stream()
					.noneMatch((each) -> each.nodeId().equals(node.id));
		return isAhead ? new Failure(Reason.LAYOUT_BEHIND, "as the simulation wants") : null;
	}

	/** What a node held of a key before it gained it counts as if it were not there. */
	private void adopt(Node node, Step later) {
		if (node.step == Step.BEFORE && later != Step.BEFORE) {
			node.store.entries.keySet().removeIf((key) -> !ids(node.lists(), key, ALL).contains(node.id));
		}
		node.step = later;
	}

	/** An entry of so many copies of a key. */
	private record Holding(Key key, int copies) {
	}

	/** The layout that a node has adopted. */
	enum Step {

		BEFORE(1), JOINT(2), AFTER(3);

		private final long version;

		Step(long version) {
			this.version = version;
		}

		long version() {
			return this.version;
		}

	}

}
