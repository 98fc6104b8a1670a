package io.quorate.coordinator;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.quorate.coordinator.SimulatedCluster.Node;
import io.quorate.coordinator.SimulatedCluster.Shape;
import io.quorate.entry.Key;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.FencedReplica;
import io.quorate.replica.WritesUnderWay;
import io.quorate.replica.Replica;
import org.jspecify.annotations.Nullable;

/**
 * The layouts of a simulated cluster: one, or those of a change, which its nodes adopt
 * one after the other. What is to be copied between them is copied at once, when all have
 * adopted the joint one: from then on they refuse requests by the layout of before. What
 * a node holds of a key before it gains that key is dropped.
 */
final class SimulatedLayouts {

	/* One in so many operations has a node adopt a layout. */
	private static final int PATIENCE = 5;

	private final SimulatedCluster cluster;

	private final Shape shape;

	private final PreferenceLists every;

	private final Map<Holding, List<String>> holders = new HashMap<>();

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
		List<Replica> joint = planned(all, Step.JOINT);
		return Map.of(Step.BEFORE, of(this.shape.membersBefore(), planned(all, Step.BEFORE)), Step.JOINT,
				new JointLists(of(this.shape.membersBefore(), joint), of(this.shape.membersAfter(), joint)), Step.AFTER,
				of(this.shape.membersAfter(), planned(all, Step.AFTER)));
	}

	private static List<Replica> planned(List<? extends Replica> all, Step step) {
		return all.stream().map((replica) -> replica.planned(step.version())).toList();
	}

	/** The ids of the first nodes that are to hold a key, by any of the layouts. */
	List<String> holders(Key key, int count) {
		return this.holders.computeIfAbsent(new Holding(key, count), (_) -> ids(this.every, key, count));
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
			this.cluster.nodes.forEach(this.cluster::copyAll);
			this.isCopied = true;
		}
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
			node.store.entries.keySet()
				.removeIf((key) -> !node.holders(key, this.shape.replicationFactor()).contains(node.id));
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
