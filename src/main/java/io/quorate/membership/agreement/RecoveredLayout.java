package io.quorate.membership.agreement;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.quorate.consensus.Decision;
import io.quorate.consensus.Electorate;
import io.quorate.membership.layout.LayoutCodec;
import io.quorate.membership.layout.LayoutException;
import io.quorate.membership.layout.LayoutMember;
import io.quorate.membership.layout.LayoutRecord;
import io.quorate.membership.layout.LayoutSide;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;

/**
 * The layout by which members that are left go on when a majority of those that decide is
 * lost for good. No vote decides it: it is a pure function of the last layout that one of
 * the members left knows, and of their directories, so all of them compute the same one.
 * Immutable.
 * <p>
 * Invariants: (1) its version is higher than all that the lost majority may have decided,
 * and {@linkplain LayoutVersion#contradicts contradicts} them, so that the members left
 * and those that are given up refuse each other; (2) it is stable, and names the present
 * directory of each of its members: their majority decides as ever; (3) of each partition
 * that a member left was a replica of, every majority has a member with each write that a
 * majority of before has acknowledged, if one of those left has it. The replication
 * factor is the greatest one that keeps to (3).
 */
public final class RecoveredLayout {

	private final RecordedLayout found;

	private final RecordedLayout layout;

	private final List<String> givenUp;

	private final Replicas replicas;

	/**
	 * A member that is left.
	 *
	 * @param storageId identity of the data in its directory
	 * @param layout layouts that its directory has recorded
	 */
	public record Survivor(String id, UUID storageId, RecordedLayout layout) {
	}

	/**
	 * The replicas of partitions by the layout.
	 *
	 * @param factor replication factor
	 * @param before replication factor of before
	 * @param emptied number of partitions of which no replica is left
	 */
	private record Replicas(int factor, int before, int emptied) {
	}

	private RecoveredLayout(RecordedLayout found, RecordedLayout layout, List<String> givenUp, Replicas replicas) {
		this.found = found;
		this.layout = layout;
		this.givenUp = givenUp;
		this.replicas = replicas;
	}

	/**
	 * The layout of the members that are left.
	 * @param survivors all of them
	 * @throws LayoutException when there is no such layout, or the members left are a
	 * majority and can decide
	 */
	public static RecoveredLayout of(List<Survivor> survivors) {
		Survivor latest = survivors.stream()
			.max(Comparator.comparingLong((each) -> each.layout().version().version()))
			.orElseThrow();
		survivors.forEach((other) -> requireOneHistory(latest, other));
		RecordedLayout found = latest.layout();
		Map<String, UUID> left = survivors.stream()
			.collect(Collectors.toMap(Survivor::id, Survivor::storageId, (one, _) -> one, TreeMap::new));
		LayoutRecord record = found.latest();
		if (found.isOfARecovery() && names(record, left)) {
			return new RecoveredLayout(found, found, List.of(),
					new Replicas(record.stable().replicationFactor(), record.stable().replicationFactor(), 0));
		}
		requireMembers(found, left.keySet());
		requireNoMajority(found, left);
		List<LayoutMember> members = left.entrySet()
			.stream()
			.map((its) -> found.member(its.getKey()).at(its.getValue()))
			.toList();
		Replicas replicas = replicas(record.stable(), members);
		LayoutRecord recovered = possible(members, replicas.factor());
		return new RecoveredLayout(found,
				found.followedBy(
						new Decision(LayoutVersion.recovered(found.version().version()), LayoutCodec.write(recovered))),
				record.members().stream().map(LayoutMember::id).filter((id) -> !left.containsKey(id)).toList(),
				replicas);
	}

	/* One may not have been recovered yet, as the others were. */
	private static void requireOneHistory(Survivor latest, Survivor other) {
		if (latest.layout().isOfAnotherHistory(other.layout())) {
			throw refused(
					("%s has another content of %s of the layout than %s: one of the two is of another cluster, or"
							+ " of another recovery")
						.formatted(latest.id(), other.layout().version(), other.id()));
		}
	}

	private static boolean names(LayoutRecord record, Map<String, UUID> left) {
		return !record.isJoint() && record.stable()
			.members()
			.stream()
			.collect(Collectors.toMap(LayoutMember::id, LayoutMember::storageId))
			.equals(left);
	}

	private static void requireMembers(RecordedLayout found, Set<String> left) {
		List<String> strangers = left.stream().filter((id) -> !found.names(id)).toList();
		if (!strangers.isEmpty()) {
			throw refused("by the last layout found, %s, there is no member %s".formatted(found, strangers));
		}
	}

	private static void requireNoMajority(RecordedLayout found, Map<String, UUID> left) {
		LayoutRecord record = found.latest();
		Electorate electorate = record.electorate();
		long voters = record.stable()
			.members()
			.stream()
			.filter((member) -> left.containsKey(member.id())
					&& (!record.isActive() || member.storageId().equals(left.get(member.id()))))
			.count();
		if (voters >= electorate.needed()) {
			throw refused(("%d of the %d members that decide by the last layout found, %s, are left, and can decide by"
					+ " themselves: start them, and remove the lost ones (quorate cluster remove MEMBER --dead)")
				.formatted(voters, record.stable().members().size(), found));
		}
	}

	private static LayoutRecord possible(List<LayoutMember> members, int factor) {
		try {
			return LayoutRecord.of(new LayoutSide(members, factor));
		}
		catch (IllegalArgumentException impossible) {
			throw new LayoutException("there is no layout of %s: %s"
				.formatted(members.stream().map(LayoutMember::id).toList(), impossible.getMessage()), impossible);
		}
	}

	/* A member that was still joining may lack keys: it counts as one that gains them. */
	private static Replicas replicas(LayoutSide before, List<LayoutMember> members) {
		int most = Math.min(before.replicationFactor(), members.size());
		Ring held = before.ring();
		Ring ring = possible(members, most).stable().ring();
		Set<String> left = members.stream().map(LayoutMember::id).collect(Collectors.toCollection(TreeSet::new));
		List<Partition> partitions = new ArrayList<>();
		int emptied = 0;
		for (int number = 0; number < Ring.PARTITIONS; number++) {
			Set<String> holders = ids(held.replicas(number));
			holders.retainAll(left);
			if (holders.isEmpty()) {
				emptied++;
			}
			else {
				partitions.add(new Partition(holders, ring.preferenceList(number), before.replicationFactor()));
			}
		}
		int factor = IntStream.iterate(most, (each) -> each > 0, (each) -> each - 1)
			.filter((each) -> partitions.stream().allMatch((partition) -> partition.permits(each)))
			.findFirst()
			.orElseThrow(() -> refused(
					("of %d members with %d copies of each key, %s are left that hold too few keys together: with any"
							+ " replication factor some reads would miss what one of them holds. Restore the cluster"
							+ " as a whole from backups of these members instead")
						.formatted(before.members().size(), before.replicationFactor(), left)));
		return new Replicas(factor, before.replicationFactor(), emptied);
	}

	private static Set<String> ids(List<Member> members) {
		return members.stream().map(Member::id).collect(Collectors.toCollection(TreeSet::new));
	}

	/**
	 * A partition that some members left hold.
	 *
	 * @param order preference list of the members left
	 * @param before number of its replicas of before
	 */
	private record Partition(Set<String> holders, List<Member> order, int before) {

		/*
		 * With this replication factor no read by a majority misses a write that a
		 * majority of before has acknowledged, and of which a member left has one copy:
		 * as few as that may be left of it.
		 */
		private boolean permits(int factor) {
			Set<String> replicas = ids(this.order.subList(0, factor));
			long leftOut = this.holders.stream().filter((id) -> !replicas.contains(id)).count();
			int lost = this.before - this.holders.size();
			if (leftOut == this.holders.size() || (leftOut > 0 && leftOut + lost >= majority(this.before))) {
				return false;
			}
			long copies = Math.max(1, majority(this.before) - lost - leftOut);
			return factor - copies < majority(factor);
		}

		private static int majority(int replicas) {
			return replicas / 2 + 1;
		}

	}

	private static LayoutException refused(String why) {
		return new LayoutException(why, null);
	}

	/** The last layout that was found. */
	public RecordedLayout found() {
		return this.found;
	}

	/** The layout that the members left go on with. */
	public RecordedLayout layout() {
		return this.layout;
	}

	/** Whether some member left has it already. */
	public boolean isFound() {
		return this.layout.version().equals(this.found.version());
	}

	/** The ids of the members that are given up, in their order. */
	public List<String> givenUp() {
		return this.givenUp;
	}

	/** The greatest number of members that hold a key. */
	public int replicationFactor() {
		return this.replicas.factor();
	}

	/** The same of before. */
	public int replicationFactorBefore() {
		return this.replicas.before();
	}

	/** The number of partitions of which no replica is left. */
	public int emptied() {
		return this.replicas.emptied();
	}

}
