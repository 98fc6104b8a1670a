package io.quorate.repair.move;

import java.util.Set;
import java.util.TreeSet;

import io.quorate.membership.layout.Layout;
import io.quorate.ring.Member;
import io.quorate.ring.MemberPlaces;
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
			layout.rings()
				.before()
				.members()
				.stream()
				.map(Member::id)
				.filter((member) -> !member.equals(self) && !layout.dead().contains(member)
						&& isSource(layout.rings(), self, member))
				.forEach(sources::add);
		}
		return sources;
	}

	private static boolean isSource(RingPair rings, String self, String member) {
		MemberPlaces ours = rings.placesOf(self);
		MemberPlaces theirs = rings.placesOf(member);
		boolean areFewer = rings.after().replicationFactor() < rings.before().replicationFactor();
		for (int partition = 0; partition < Ring.PARTITIONS; partition++) {
			int later = ours.after(partition);
			if (later >= 0 && theirs.before(partition) >= 0) {
				int earlier = ours.before(partition);
				boolean isMorePreferred = earlier < 0 || later < earlier;
				if (isMorePreferred || (areFewer && theirs.loses(partition))) {
					return true;
				}
			}
		}
		return false;
	}

}
