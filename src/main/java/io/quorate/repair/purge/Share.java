package io.quorate.repair.purge;

import java.util.List;

import io.quorate.clock.SkewJudge;
import io.quorate.entry.Entry;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.storage.ScanPage.Item;

/**
 * What a node is to hold: entries of keys among whose first {@code from} nodes it is, and
 * tombstones of all keys that any number of copies could have brought to it. What is
 * stamped too far in the future it does not hold.
 */
record Share(Ring ring, String self, SkewJudge judge) {

	boolean isOurs(Item item) {
		Entry entry = item.entry();
		if (this.judge.refuses(entry.timestamp())) {
			return false;
		}
		int copies = entry.isTombstone() ? this.ring.replicationFactor()
				: Math.min(entry.from(), this.ring.replicationFactor());
		List<Member> replicas = this.ring.preferenceList(item.key()).subList(0, copies);
		return replicas.stream().anyMatch((member) -> member.id().equals(this.self));
	}

}
