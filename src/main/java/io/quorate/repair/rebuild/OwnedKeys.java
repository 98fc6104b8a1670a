package io.quorate.repair.rebuild;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.quorate.clock.SkewJudge;
import io.quorate.entry.Entry;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.ring.RingPair;
import io.quorate.storage.ScanPage.Item;

/**
 * The entries that a node must hold: those of keys among whose first {@code from} nodes
 * it is, or among whose replicas for {@link Entry#ALL}; and, as in comparisons, entries
 * that read as absent of all keys that any number of copies could have brought to it.
 * While a change of the layout is under way, the node must hold what it holds by either
 * ring. An entry with a timestamp too far in the future is not held: a copy without it is
 * not complete.
 *
 * @param rings the rings of the current layout
 * @param nowMillis the present by the hybrid clock
 */
record OwnedKeys(Supplier<RingPair> rings, String self, SkewJudge judge, LongSupplier nowMillis) {

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

	private Set<String> replicas(Item item) {
		RingPair current = this.rings.get();
		Set<String> replicas = new LinkedHashSet<>();
		Entry entry = item.entry();
		boolean isOfAll = entry.isAbsentAt(this.nowMillis.getAsLong()) || current.isOfAll(entry.from());
		int copies = isOfAll ? Integer.MAX_VALUE : entry.from();
		addReplicas(current.before(), item, copies, replicas);
		if (!current.isOne()) {
			addReplicas(current.after(), item, copies, replicas);
		}
		return replicas;
	}

	private static void addReplicas(Ring ring, Item item, int most, Set<String> replicas) {
		int copies = Math.min(most, ring.replicationFactor());
		ring.preferenceList(item.key()).subList(0, copies).stream().map(Member::id).forEach(replicas::add);
	}

}
