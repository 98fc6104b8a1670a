package io.quorate.repair.rebuild;

import java.util.List;
import java.util.function.LongSupplier;

import io.quorate.clock.SkewJudge;
import io.quorate.entry.Entry;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.storage.ScanPage.Item;

/**
 * The entries that a node must hold: those of keys among whose first {@code from} nodes
 * it is; and, as in comparisons, entries that read as absent of all keys that any number
 * of copies could have brought to it. An entry with a timestamp too far in the future is
 * not held: a copy without it is not complete.
 *
 * @param nowMillis the present by the hybrid clock
 */
record OwnedKeys(Ring ring, String self, SkewJudge judge, LongSupplier nowMillis) {

	boolean isOurs(Item item) {
		return !isRefused(item) && replicas(item).contains(this.self);
	}

	/** Whether the node would hold the entry, but for the entry's timestamp. */
	boolean isOursButForItsStamp(Item item) {
		return isRefused(item) && replicas(item).contains(this.self);
	}

	private boolean isRefused(Item item) {
		return this.judge.refuses(item.entry().timestamp());
	}

	/**
	 * Whether no other node can hold it: it was written to one node, which is this one.
	 */
	boolean isOnlyOurs(Item item) {
		return isOurs(item) && replicas(item).size() == 1;
	}

	private List<String> replicas(Item item) {
		Entry entry = item.entry();
		int all = this.ring.replicationFactor();
		int copies = entry.isAbsentAt(this.nowMillis.getAsLong()) ? all : Math.min(entry.from(), all);
		return this.ring.preferenceList(item.key()).subList(0, copies).stream().map(Member::id).toList();
	}

}
