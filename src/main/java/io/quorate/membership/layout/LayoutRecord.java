package io.quorate.membership.layout;

import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;

import io.quorate.consensus.Electorate;
import io.quorate.entry.PartitionSet;
import io.quorate.entry.Partitions;
import io.quorate.ring.MemberPlaces;
import io.quorate.ring.Ring;
import io.quorate.ring.RingPair;
import io.quorate.storage.ShareChange;
import org.jspecify.annotations.Nullable;

/**
 * The content of a version of the layout, as the members decide it. A layout is stable,
 * or joint: then a change is under way, and quorums are needed on both sides. Immutable.
 *
 * @param stable side that votes, and the one that an abort goes back to
 * @param target side that the change goes to, {@code null} in a stable layout
 * @param dead ids of members of the stable side that the change declares dead
 * @param change change that is under way, {@code null} in a stable layout
 */
public record LayoutRecord(LayoutSide stable, @Nullable LayoutSide target, Set<String> dead,
		@Nullable LayoutChange change) {

	public LayoutRecord {
		dead = Set.copyOf(dead);
		if ((target == null) != (change == null)) {
			throw new IllegalArgumentException("a layout has both a target and a change, or neither");
		}
		if (!dead.stream().allMatch(stable::has)) {
			throw new IllegalArgumentException("of the dead %s some are no members: %s".formatted(dead, stable));
		}
		if (target == null && !dead.isEmpty()) {
			throw new IllegalArgumentException("only a change declares members dead, not %s".formatted(dead));
		}
	}

	/** A stable layout. */
	public static LayoutRecord of(LayoutSide stable) {
		return new LayoutRecord(stable, null, Set.of(), null);
	}

	/**
	 * The layout of a configuration, the same on all nodes whose rings have one epoch:
	 * addresses, which each node may have its own of, and storage ids are left out.
	 */
	public static LayoutRecord first(Ring ring) {
		return of(new LayoutSide(
				ring.members().stream().map((member) -> new LayoutMember(member, "", 0, LayoutMember.UNKNOWN)).toList(),
				ring.replicationFactor()));
	}

	/** Whether a change is under way. */
	public boolean isJoint() {
		return this.target != null;
	}

	/** The members of both sides, each once, in the order of their ids. */
	public List<LayoutMember> members() {
		TreeSet<LayoutMember> all = new TreeSet<>(Comparator.comparing(LayoutMember::id));
		all.addAll(this.stable.members());
		all.addAll((this.target != null) ? this.target.members() : List.of());
		return List.copyOf(all);
	}

	/** The member of an id on either side, or {@code null}. */
	public @Nullable LayoutMember member(String id) {
		LayoutMember stays = this.stable.member(id);
		return (stays != null || this.target == null) ? stays : this.target.member(id);
	}

	/** The storage ids of the members, by their ids; the first layout has none. */
	public Map<String, UUID> directories() {
		return members().stream()
			.filter((member) -> !member.storageId().equals(LayoutMember.UNKNOWN))
			.collect(Collectors.toUnmodifiableMap(LayoutMember::id, LayoutMember::storageId));
	}

	/** The members that a change waits for: all that are not declared dead. */
	public List<String> awaited() {
		return members().stream().map(LayoutMember::id).filter((id) -> !this.dead.contains(id)).toList();
	}

	/** Whether storage ids are known, so that a majority decides on the version after. */
	public boolean isActive() {
		return members().stream().map(LayoutMember::storageId).noneMatch(LayoutMember.UNKNOWN::equals);
	}

	/**
	 * The voters of the version that follows: members of the stable side. After the first
	 * layout, which names no storage ids, all of them have to agree.
	 */
	public Electorate electorate() {
		return isActive()
				? Electorate
					.majorityOf(this.stable.members().stream().map(LayoutMember::voter).collect(Collectors.toSet()))
				: Electorate.allOf(Set.copyOf(this.stable.ids()));
	}

	/**
	 * The partitions that a node gains and loses when it adopts the layout. All versions
	 * of one change have the version that began it, so that nothing is gained twice.
	 * @param layout this layout as a version of the cluster's
	 * @param before rings of the layout that the node has adopted last, {@code null} when
	 * it has just started: then all that it does not hold counts as lost, and it gains
	 * what it holds and had lost before
	 */
	public ShareChange sharesOf(String node, Layout layout, @Nullable RingPair before) {
		BitSet gained = new BitSet(Partitions.COUNT);
		BitSet lost = new BitSet(Partitions.COUNT);
		boolean isJoint = layout.isJoint();
		MemberPlaces places = layout.rings().placesOf(node);
		MemberPlaces placesBefore = (before != null) ? before.placesOf(node) : null;
		for (int partition = 0; partition < Partitions.COUNT; partition++) {
			if (places.gains(partition)) {
				gained.set(partition);
			}
			else if (!isJoint && !places.isReplica(partition)
					&& (placesBefore == null || placesBefore.isReplica(partition))) {
				lost.set(partition);
			}
		}
		return new ShareChange((this.change != null) ? this.change.version() : layout.version(),
				PartitionSet.of(gained), PartitionSet.of(lost), before == null && !layout.isJoint());
	}

	/** The layout in words. */
	@Override
	public String toString() {
		return (this.target != null) ? "%s -> %s".formatted(this.stable, this.target) : this.stable.toString();
	}

}
