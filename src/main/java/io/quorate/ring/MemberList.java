package io.quorate.ring;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The members of a ring in the order of their ids, checked against each other.
 */
final class MemberList {

	/* An entry holds in one byte the number of nodes that it was written to. */
	static final int MAX_MEMBERS = 255;

	private MemberList() {
	}

	/**
	 * Sorts and checks the members.
	 * @throws IllegalArgumentException when there are none or more than
	 * {@value #MAX_MEMBERS}, when two have one id, one ordinal or one place on the ring,
	 * or when only some have a zone
	 */
	static List<Member> checked(List<Member> members) {
		if (members.isEmpty() || members.size() > MAX_MEMBERS) {
			throw new IllegalArgumentException(
					"a cluster has 1 to %d members, not %d".formatted(MAX_MEMBERS, members.size()));
		}
		List<Member> sorted = members.stream().sorted(Comparator.comparing(Member::id)).toList();
		requireDistinct(sorted);
		requirePlacesOfTheirOwn(sorted);
		requireZonesOfAllOrNone(sorted);
		return sorted;
	}

	private static void requireDistinct(List<Member> members) {
		Map<Integer, Member> byOrdinal = new HashMap<>();
		for (Member member : members) {
			Member other = byOrdinal.put(member.ordinal(), member);
			if (other == null) {
				continue;
			}
			if (other.id().equals(member.id())) {
				throw new IllegalArgumentException(
						"two members have the id '%s': %s and %s".formatted(member.id(), other, member));
			}
			throw new IllegalArgumentException(
					("the ids of the members %s and %s have the same 32-bit hash %08x, which stands for them in"
							+ " timestamps: rename one of them")
						.formatted(other, member, member.ordinal()));
		}
	}

	private static void requirePlacesOfTheirOwn(List<Member> members) {
		Map<String, Member> byPlace = new HashMap<>();
		for (Member member : members) {
			Member other = byPlace.put(member.ringId(), member);
			if (other != null) {
				throw new IllegalArgumentException(
						"the members %s and %s have one place on the ring".formatted(other, member));
			}
		}
	}

	private static void requireZonesOfAllOrNone(List<Member> members) {
		Member first = members.getFirst();
		for (Member member : members) {
			if (member.zone().isEmpty() != first.zone().isEmpty()) {
				Member without = member.zone().isEmpty() ? member : first;
				Member with = member.zone().isEmpty() ? first : member;
				throw new IllegalArgumentException(
						"member %s has a zone and member %s has none: give all or none one".formatted(with, without));
			}
		}
	}

}
