package io.quorate.membership.layout;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

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
 * @param directories storage ids with which the members were met last, this node's own
 * among them, by their ids: what they have reported is of these
 * @param alive storage ids of the directories that no other one is to replace, because
 * their processes are connected to this node, or were a moment ago, by the ids of members
 */
public record LayoutFacts(Map<String, LayoutVersion> adopted, Map<String, Long> complete,
		Map<String, LayoutMember> ready, Map<String, String> obstacles, Map<String, UUID> directories,
		Map<String, UUID> alive) {

	public LayoutFacts {
		adopted = Map.copyOf(adopted);
		complete = Map.copyOf(complete);
		ready = Map.copyOf(ready);
		obstacles = Map.copyOf(obstacles);
		directories = Map.copyOf(directories);
		alive = Map.copyOf(alive);
	}

	/** The facts with the report of one more member. */
	public LayoutFacts with(String member, LayoutReport its) {
		Map<String, LayoutVersion> all = new HashMap<>(this.adopted);
		all.put(member, its.adopted());
		Map<String, Long> copied = new HashMap<>(this.complete);
		copied.put(member, its.copied());
		return new LayoutFacts(all, copied, this.ready, this.obstacles, this.directories, this.alive);
	}

	/** Whether a member has adopted a version, or a later one. */
	public boolean hasAdopted(String member, long version) {
		return adoptedBy(member) >= version;
	}

	/** The version that a member has adopted, 0 while it is not known. */
	public long adoptedBy(String member) {
		LayoutVersion its = this.adopted.get(member);
		return (its != null) ? its.version() : 0;
	}

	/** The reason for which a member cannot vote now, or {@code null} when it can. */
	public @Nullable String obstacleOf(String member) {
		return this.ready.containsKey(member) ? null
				: this.obstacles.getOrDefault(member, "%s is not known".formatted(member));
	}

	/**
	 * A member with the directory that it has now, as far as that is known and it is
	 * ready.
	 */
	LayoutMember present(LayoutMember named) {
		return isLost(named.id(), named.storageId()) ? named.at(this.ready.getOrDefault(named.id(), named).storageId())
				: named;
	}

	/**
	 * Whether a majority of the directories of voters is left, as far as this node knows.
	 * A directory is lost once another process was met in its place while the layout
	 * named it, and stays so while that process is away. It is not lost while it is
	 * {@linkplain io.quorate.membership.reports.NamedDirectories#alive() alive}, nor by
	 * silence: in a partition the processes that are not heard may be a quorum. So a node
	 * that has just started counts a directory as left until it has met another in its
	 * place.
	 * @param named storage ids of the members, by their ids; the first layout has none
	 */
	public boolean isMajorityLeft(List<String> voters, Map<String, UUID> named) {
		return voters.stream().filter((voter) -> !isLost(voter, named.get(voter))).count() > voters.size() / 2;
	}

	/**
	 * Whether another directory than the named one was met last, and this one is not
	 * alive.
	 */
	boolean isLost(String member, @Nullable UUID named) {
		return named != null && !named.equals(this.directories.getOrDefault(member, named))
				&& !named.equals(this.alive.get(member));
	}

	/** Whether a layout would name a directory in the place of one that is alive. */
	public boolean isReplacedAlive(LayoutMember before, LayoutMember after) {
		UUID its = this.alive.getOrDefault(after.id(), after.storageId());
		return !after.storageId().equals(before.storageId()) && !its.equals(after.storageId());
	}

	/** The number of members that are ready and come before this one. */
	public int rankOf(String member) {
		return Math.toIntExact(this.ready.keySet().stream().filter((other) -> other.compareTo(member) < 0).count());
	}

	/**
	 * Whether a member has copied all that it gains in a change, with the directory that
	 * is named. The report of a directory that was lost since says nothing of the one
	 * that is named in its place.
	 * @param version version of the layout that began the change
	 */
	public boolean isComplete(LayoutMember named, long version) {
		UUID reported = this.directories.getOrDefault(named.id(), named.storageId());
		return reported.equals(named.storageId()) && this.complete.getOrDefault(named.id(), 0L) >= version;
	}

}
