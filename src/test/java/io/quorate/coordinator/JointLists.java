package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.quorate.entry.Key;
import io.quorate.replica.Replica;

/** The replica sets of a test while a change of the layout is under way. */
final class JointLists implements PreferenceLists {

	private final FixedLists before;

	private final FixedLists after;

	private final Set<ReplicaSet> sets = new LinkedHashSet<>();

	JointLists(FixedLists before, FixedLists after) {
		this.before = before;
		this.after = after;
		for (List<Replica> some : before.lists()) {
			after.lists().forEach((others) -> this.sets.add(ReplicaSet.of(some, others, before.firstFactor())));
		}
	}

	@Override
	public ReplicaSet replicasOf(Key key) {
		return ReplicaSet.of(this.before.listOf(key), this.after.listOf(key), this.before.firstFactor());
	}

	@Override
	public Collection<ReplicaSet> everySet() {
		return this.sets;
	}

	@Override
	public List<Replica> allReplicas() {
		List<Replica> all = new ArrayList<>(this.before.allReplicas());
		this.after.allReplicas().stream().filter((replica) -> !all.contains(replica)).forEach(all::add);
		return all;
	}

	@Override
	public int replicationFactor() {
		return Math.max(this.before.replicationFactor(), this.after.replicationFactor());
	}

}
