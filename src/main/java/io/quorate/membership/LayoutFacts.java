package io.quorate.membership;

import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The progress that members have reported, and their present state. Reports of progress
 * may be old: a member that has adopted a version, or is complete, stays so.
 *
 * @param adopted layout that each member has adopted, by the ids of members
 * @param complete highest version of a layout that began a change in which the member has
 * copied all that it gains, by the ids of members
 * @param ready members that can vote now, as the next layout is to name them, by their
 * ids
 * @param obstacles reasons in words for which the other members cannot, by their ids
 * @param givenUp version of the layout that began the joining which this node has judged
 * as one that is to be aborted; 0 for none
 */
record LayoutFacts(Map<String, LayoutVersion> adopted, Map<String, Long> complete, Map<String, LayoutMember> ready,
		Map<String, String> obstacles, long givenUp) {

	/** Facts of a node that has judged no joining as one that is to be aborted. */
	LayoutFacts(Map<String, LayoutVersion> adopted, Map<String, Long> complete, Map<String, LayoutMember> ready,
			Map<String, String> obstacles) {
		this(adopted, complete, ready, obstacles, 0);
	}

	public LayoutFacts {
		adopted = Map.copyOf(adopted);
		complete = Map.copyOf(complete);
		ready = Map.copyOf(ready);
		obstacles = Map.copyOf(obstacles);
	}

	/** The facts with the report of one more member. */
	LayoutFacts with(String member, LayoutReport its) {
		Map<String, LayoutVersion> all = new HashMap<>(this.adopted);
		all.put(member, its.adopted());
		Map<String, Long> copied = new HashMap<>(this.complete);
		copied.put(member, its.copied());
		return new LayoutFacts(all, copied, this.ready, this.obstacles, this.givenUp);
	}

	boolean hasAdopted(String member, long version) {
		return adoptedBy(member) >= version;
	}

	/** The version that a member has adopted, 0 while it is not known. */
	long adoptedBy(String member) {
		LayoutVersion its = this.adopted.get(member);
		return (its != null) ? its.version() : 0;
	}

	/** The reason for which a member cannot vote now, or {@code null} when it can. */
	@Nullable String obstacleOf(String member) {
		return this.ready.containsKey(member) ? null
				: this.obstacles.getOrDefault(member, "%s is not known".formatted(member));
	}

	/** A member with the directory that it has now, as far as that is known. */
	LayoutMember present(LayoutMember named) {
		return named.at(this.ready.getOrDefault(named.id(), named).storageId());
	}

	/** The number of members that are ready and come before this one. */
	int rankOf(String member) {
		return Math.toIntExact(this.ready.keySet().stream().filter((other) -> other.compareTo(member) < 0).count());
	}

	boolean isComplete(String member, long version) {
		return this.complete.getOrDefault(member, 0L) >= version;
	}

}
