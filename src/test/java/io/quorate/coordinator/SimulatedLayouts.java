package io.quorate.coordinator;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.quorate.coordinator.SimulatedCluster.Node;
import io.quorate.coordinator.SimulatedCluster.Shape;
import io.quorate.entry.Key;
import io.quorate.replica.Replica;

/**
 * The layouts of a simulated cluster: one, or those of a change, which its nodes adopt
 * one after the other. What is to be copied between them is copied at once, when no
 * request by the layout of before is under way any more.
 */
final class SimulatedLayouts {

	/* One in so many operations has a node adopt a layout. */
	private static final int PATIENCE = 5;

	private final SimulatedCluster cluster;

	private final Shape shape;

	private final PreferenceLists every;

	private final Map<Holding, List<String>> holders = new HashMap<>();

	private long adoptedNanos;

	private boolean isCopied;

	SimulatedLayouts(SimulatedCluster cluster, Shape shape) {
		this.cluster = cluster;
		this.shape = shape;
		List<ScriptedReplica> names = cluster.nodes.stream().map((node) -> new ScriptedReplica(node.id)).toList();
		this.every = new JointLists(of(shape.membersBefore(), names), of(shape.membersAfter(), names));
	}

	private FixedLists of(int members, List<? extends Replica> all) {
		return new FixedLists(this.shape.replicationFactor(), List.copyOf(all.subList(0, members)));
	}

	/** The lists by which a node plans. */
	Map<Step, PreferenceLists> lists(List<? extends Replica> all) {
		FixedLists before = of(this.shape.membersBefore(), all);
		FixedLists after = of(this.shape.membersAfter(), all);
		return Map.of(Step.BEFORE, before, Step.JOINT, new JointLists(before, after), Step.AFTER, after);
	}

	/** The ids of the first nodes that are to hold a key, by any of the layouts. */
	List<String> holders(Key key, int count) {
		return this.holders.computeIfAbsent(new Holding(key, count), (_) -> ids(this.every, key, count));
	}

	static List<String> ids(PreferenceLists lists, Key key, int count) {
		return lists.replicasOf(key).plan(new Consistency(1, count)).replicas().stream().map(Replica::nodeId).toList();
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
				node.step = Step.JOINT;
				this.adoptedNanos = this.cluster.nanos();
			}
		}
		else if (this.isCopied) {
			node.step = isPatient ? node.step : Step.AFTER;
		}
		else if (this.cluster.nodes.stream().noneMatch((each) -> each.isClosed)
				&& this.cluster.nanos() - this.adoptedNanos > this.shape.longest().toNanos()) {
			this.cluster.nodes.forEach(this.cluster::copyAll);
			this.isCopied = true;
		}
	}

	/** An entry of so many copies of a key. */
	private record Holding(Key key, int copies) {
	}

	/** The layout that a node has adopted. */
	enum Step {

		BEFORE, JOINT, AFTER

	}

}
