package io.quorate.membership;

import java.util.Map;

/**
 * The progress that members have reported. Reports may be old: a member that has adopted
 * a version, or is complete, stays so.
 *
 * @param adopted highest version that each member has adopted, by the ids of members
 * @param complete highest version of a layout that began a change in which the member has
 * copied all that it gains, by the ids of members
 */
record LayoutFacts(Map<String, Long> adopted, Map<String, Long> complete) {

	public LayoutFacts {
		adopted = Map.copyOf(adopted);
		complete = Map.copyOf(complete);
	}

	boolean hasAdopted(String member, long version) {
		return this.adopted.getOrDefault(member, 0L) >= version;
	}

	boolean isComplete(String member, long version) {
		return this.complete.getOrDefault(member, 0L) >= version;
	}

}
