package io.quorate.ring;

import java.nio.charset.StandardCharsets;
import java.util.AbstractList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.RandomAccess;
import java.util.concurrent.atomic.AtomicReferenceArray;

import io.quorate.entry.Hash64;
import io.quorate.entry.Key;
import io.quorate.entry.Partitions;
import org.jspecify.annotations.Nullable;

/**
 * The assignment of keys to the members that hold them. Immutable and thread-safe; a
 * look-up allocates nothing.
 * <p>
 * A key belongs to one of {@value #PARTITIONS} {@linkplain Partitions partitions}. A
 * partition has a preference list of all members, see {@link RendezvousOrder}; an entry
 * of {@code from} copies is held by its first {@code from} members.
 * <ol>
 * <li>The list of a key depends on the ids, zones and places of the members only, neither
 * on the order in which they are given nor on the replication factor.</li>
 * <li>Without zones, a member that joins or leaves does not change the order of the other
 * members: only the entries that it takes over or gives up move.</li>
 * <li>With zones, the members that hold an entry are of as many zones as possible.</li>
 * </ol>
 */
public final class Ring {

	/** Number of partitions, whatever the members. */
	public static final int PARTITIONS = Partitions.COUNT;

	/* Part of the epoch: nodes that order members in different ways must not connect. */
	private static final int LAYOUT_VERSION = 1;

	private final List<Member> members;

	private final int replicationFactor;

	private final long epoch;

	/* The preference lists, one behind the other. */
	private final short[] orders;

	private final PreferenceList[] preferenceLists;

	/* The places of each member among the replicas, of those that were asked for. */
	private final AtomicReferenceArray<short @Nullable []> places;

	private Ring(List<Member> members, int replicationFactor) {
		this.members = members;
		this.replicationFactor = replicationFactor;
		this.epoch = epochOf(members, replicationFactor);
		this.orders = new short[PARTITIONS * members.size()];
		this.preferenceLists = new PreferenceList[PARTITIONS];
		this.places = new AtomicReferenceArray<>(members.size());
		RendezvousOrder order = new RendezvousOrder(members);
		for (int partition = 0; partition < PARTITIONS; partition++) {
			int offset = partition * members.size();
			order.copyTo(this.orders, offset, partition);
			this.preferenceLists[partition] = new PreferenceList(offset);
		}
	}

	/**
	 * The ring of these members, whose order does not matter. Takes some milliseconds for
	 * ten members, seconds for the greatest number.
	 * @param replicationFactor greatest number of members that hold an entry
	 * @throws IllegalArgumentException when the replication factor is not between 1 and
	 * the number of members, when there are no members or more than
	 * {@value MemberList#MAX_MEMBERS}, when two have one id, one
	 * {@linkplain Member#ordinal() ordinal} or one place, or when only some have a zone
	 */
	public static Ring of(List<Member> members, int replicationFactor) {
		return new Ring(checked(members, replicationFactor), replicationFactor);
	}

	/**
	 * Checks whether there is a ring of these members, without computing it.
	 * @throws IllegalArgumentException as {@link #of} does
	 */
	public static void check(List<Member> members, int replicationFactor) {
		checked(members, replicationFactor);
	}

	private static List<Member> checked(List<Member> members, int replicationFactor) {
		List<Member> checked = MemberList.checked(members);
		if (replicationFactor < 1 || replicationFactor > checked.size()) {
			throw new IllegalArgumentException("the replication factor must be 1 to the number of members, %d, not %d"
				.formatted(checked.size(), replicationFactor));
		}
		return checked;
	}

	/** All members in the order of their ids. */
	public List<Member> members() {
		return this.members;
	}

	/** Greatest number of members that hold an entry. */
	public int replicationFactor() {
		return this.replicationFactor;
	}

	/**
	 * Hash of ids, zones and replication factor: two nodes with one epoch agree about the
	 * replicas of every key. It is {@link Hash64} of lines of UTF-8 text, each ended by a
	 * newline: {@code ring <version> <replication factor>}, then {@code <id>/<zone>} of
	 * each member in the order of their ids, with {@code /<ring id>} if that is another.
	 */
	public long epoch() {
		return this.epoch;
	}

	/** The partition of a key, from 0. */
	public int partitionOf(Key key) {
		return Partitions.of(key);
	}

	/**
	 * All members, the most preferred for the key first: the first {@code from} of them
	 * hold an entry of {@code from} copies.
	 */
	public List<Member> preferenceList(Key key) {
		return preferenceList(partitionOf(key));
	}

	/** All members, the most preferred for the partition first. */
	public List<Member> preferenceList(int partition) {
		return this.preferenceLists[partition];
	}

	/** The replicas of a partition, the most preferred first. */
	public List<Member> replicas(int partition) {
		return preferenceList(partition).subList(0, this.replicationFactor);
	}

	/**
	 * The index in {@link #members()} of the member at a position, from 0, of the
	 * preference list of a partition: for callers that keep data of each member.
	 */
	public int memberIndex(int partition, int position) {
		return this.orders[partition * this.members.size() + position];
	}

	/** The index in {@link #members()} of a member, -1 for a stranger. */
	int indexOf(String member) {
		for (int i = 0; i < this.members.size(); i++) {
			if (this.members.get(i).id().equals(member)) {
				return i;
			}
		}
		return -1;
	}

	/**
	 * Of each partition the position of a member among the replicas, from 0, or -1 when
	 * it is none. Not to be changed.
	 * @param index index of the member in {@link #members()}
	 */
	short[] placesOf(int index) {
		short[] known = this.places.get(index);
		if (known == null) {
			known = new short[PARTITIONS];
			for (int partition = 0; partition < PARTITIONS; partition++) {
				known[partition] = placeOf(index, partition);
			}
			this.places.set(index, known);
		}
		return known;
	}

	private short placeOf(int index, int partition) {
		for (short position = 0; position < this.replicationFactor; position++) {
			if (memberIndex(partition, position) == index) {
				return position;
			}
		}
		return -1;
	}

	private static long epochOf(List<Member> members, int replicationFactor) {
		StringBuilder text = new StringBuilder("ring %d %d\n".formatted(LAYOUT_VERSION, replicationFactor));
		members.forEach((member) -> {
			text.append(member.id()).append('/').append(member.zone());
			text.append(member.isReplacement() ? "/" + member.ringId() : "").append('\n');
		});
		return Hash64.of(text.toString().getBytes(StandardCharsets.UTF_8));
	}

	private final class PreferenceList extends AbstractList<Member> implements RandomAccess {

		private final int offset;

		private PreferenceList(int offset) {
			this.offset = offset;
		}

		@Override
		public Member get(int position) {
			int size = Ring.this.members.size();
			return Ring.this.members.get(Ring.this.orders[this.offset + Objects.checkIndex(position, size)]);
		}

		@Override
		public int size() {
			return Ring.this.members.size();
		}

	}

	/**
	 * The members of a ring in the order of their ids, checked against each other.
	 */
	private static final class MemberList {

		/* An entry holds in one byte the number of nodes that it was written to. */
		static final int MAX_MEMBERS = 255;

		private MemberList() {
		}

		/**
		 * Sorts and checks the members.
		 * @throws IllegalArgumentException when there are none or more than
		 * {@value #MAX_MEMBERS}, when two have one id, one ordinal or one place on the
		 * ring, or when only some have a zone
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
							"member %s has a zone and member %s has none: give all or none one".formatted(with,
									without));
				}
			}
		}

	}

}
