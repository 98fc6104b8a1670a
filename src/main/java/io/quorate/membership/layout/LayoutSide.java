package io.quorate.membership.layout;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import org.jspecify.annotations.Nullable;

/**
 * The members and the replication factor by which keys are assigned. Immutable.
 *
 * @param members members in the order of their ids
 * @param replicationFactor greatest number of members that hold an entry
 */
public record LayoutSide(List<LayoutMember> members, int replicationFactor) {

	/**
	 * Sorts and checks the members.
	 * @throws IllegalArgumentException when there is no {@linkplain Ring#of ring} of
	 * them, or two have one address or one directory
	 */
	public LayoutSide {
		members = members.stream().sorted(Comparator.comparing(LayoutMember::id)).toList();
		Ring.check(members.stream().map(LayoutMember::member).toList(), replicationFactor);
		for (int i = 0; i < members.size(); i++) {
			LayoutMember member = members.get(i);
			members.subList(0, i).forEach((other) -> requireApart(other, member));
		}
	}

	private static void requireApart(LayoutMember one, LayoutMember other) {
		if (one.sharesAddressWith(other)) {
			throw new IllegalArgumentException("the members %s and %s have one address, %s:%d".formatted(one.id(),
					other.id(), one.host(), one.port()));
		}
		if (one.sharesDirectoryWith(other)) {
			throw new IllegalArgumentException(
					"the members %s and %s have one directory, %s".formatted(one.id(), other.id(), one.storageId()));
		}
	}

	/** The ring of the members. Takes as long as {@link Ring#of}. */
	public Ring ring() {
		return Ring.of(this.members.stream().map(LayoutMember::member).toList(), this.replicationFactor);
	}

	/** Whether a ring is that of the members. */
	public boolean isAssignedBy(Ring ring) {
		return ring.replicationFactor() == this.replicationFactor
				&& ring.members().equals(this.members.stream().map(LayoutMember::member).toList());
	}

	/** The ids of the members, in their order. */
	public List<String> ids() {
		return this.members.stream().map(LayoutMember::id).toList();
	}

	/** The member of an id, or {@code null}. */
	public @Nullable LayoutMember member(String id) {
		return this.members.stream().filter((member) -> member.id().equals(id)).findFirst().orElse(null);
	}

	/** Whether a node is a member of this side. */
	public boolean has(String id) {
		return member(id) != null;
	}

	LayoutSide with(LayoutMember joined) {
		List<LayoutMember> all = new ArrayList<>(this.members);
		all.add(joined);
		return new LayoutSide(all, this.replicationFactor);
	}

	LayoutSide without(String id) {
		return only((member) -> !member.id().equals(id), this.replicationFactor);
	}

	LayoutSide replicated(int factor) {
		return only((_) -> true, factor);
	}

	/** The side with another address or storage id of one of its members. */
	LayoutSide amended(LayoutMember amended) {
		return has(amended.id()) ? without(amended.id(), amended) : this;
	}

	/** The side with one member in the place of another. */
	LayoutSide without(String id, LayoutMember instead) {
		List<LayoutMember> all = new ArrayList<>(this.members);
		all.replaceAll((member) -> member.id().equals(id) ? instead : member);
		return new LayoutSide(all, this.replicationFactor);
	}

	private LayoutSide only(Predicate<LayoutMember> which, int factor) {
		return new LayoutSide(this.members.stream().filter(which).toList(), factor);
	}

	/** The members in words, each with its zone. */
	@Override
	public String toString() {
		return "%s, %d copies".formatted(this.members.stream().map(LayoutMember::member).map(Member::toString).toList(),
				this.replicationFactor);
	}

}
