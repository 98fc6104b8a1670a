package io.quorate.repair.move;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import io.quorate.membership.Layout;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.ring.RingPair;

/**
 * The members that a node has to copy from in a change of the layout: of each partition
 * that it gains, or in whose order it is more preferred than before, so that entries of
 * fewer copies are its own now, all replicas of before; and of each that gets fewer
 * replicas and that it keeps, those that lose it. Members that are declared dead are left
 * out.
 */
final class MoveSources {

	private MoveSources() {
	}

	/** The ids of the members, in their order; none in a stable layout. */
	static Set<String> of(Layout layout, String self) {
		Set<String> sources = new TreeSet<>();
		if (layout.isJoint()) {
			for (int partition = 0; partition < Ring.PARTITIONS; partition++) {
				addSources(layout.rings(), partition, self, sources);
			}
			sources.remove(self);
			sources.removeAll(layout.dead());
		}
		return sources;
	}

	/* The number of replicas for one that is none. */
	private static int positionOf(String id, List<Member> replicas) {
		int position = 0;
		while (position < replicas.size() && !replicas.get(position).id().equals(id)) {
			position++;
		}
		return position;
	}

	private static void addSources(RingPair rings, int partition, String self, Set<String> sources) {
		List<Member> before = rings.replicasBefore(partition);
		List<Member> after = rings.replicasAfter(partition);
		int later = positionOf(self, after);
		if (later == after.size()) {
			return;
		}
		if (rings.gains(self, partition) || later < positionOf(self, before)) {
			before.forEach((member) -> sources.add(member.id()));
		}
		else if (after.size() < before.size()) {
			before.stream().map(Member::id).filter((id) -> rings.loses(id, partition)).forEach(sources::add);
		}
	}

}
