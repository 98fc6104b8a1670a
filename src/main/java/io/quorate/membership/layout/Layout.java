package io.quorate.membership.layout;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;

import io.quorate.entry.Key;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.ring.RingPair;
import org.jspecify.annotations.Nullable;

/**
 * The members of the cluster with their addresses, and the assignment of keys to them. A
 * layout is stable, or joint while a change is under way: then keys are assigned by the
 * ring of before and by that of after the change. All members have to agree about it.
 * Immutable.
 *
 * @param version number of the layout: a later one replaces an earlier one, and the first
 * is {@value #FIRST}
 * @param endpoints addresses of the members, in the order of the configuration; none when
 * a node is alone
 * @param rings assignment of keys to members before and after the change; the same ring
 * twice in a stable layout
 * @param dead ids of members that the change under way declares dead
 * @param directories storage ids of the directories of the members, by their ids; the
 * first layout names none
 */
public record Layout(long version, List<Endpoint> endpoints, RingPair rings, Set<String> dead,
		Map<String, UUID> directories) {

	/** The version of the layout that the configuration describes. */
	public static final long FIRST = 1;

	public Layout {
		endpoints = List.copyOf(endpoints);
		dead = Set.copyOf(dead);
		directories = Map.copyOf(directories);
	}

	/** A stable layout. */
	public Layout(long version, List<Endpoint> endpoints, Ring ring) {
		this(version, endpoints, RingPair.of(ring), Set.of());
	}

	/** A layout that names no directories. */
	public Layout(long version, List<Endpoint> endpoints, RingPair rings, Set<String> dead) {
		this(version, endpoints, rings, dead, Map.of());
	}

	/** The same members and assignment as another version. */
	Layout at(long other) {
		return new Layout(other, this.endpoints, this.rings, this.dead, this.directories);
	}

	/**
	 * The ring of the members that decide about the next layout: the only one of a stable
	 * layout, and that of before the change in a joint one.
	 */
	public Ring ring() {
		return this.rings.before();
	}

	/** Whether a change is under way. */
	public boolean isJoint() {
		return !this.rings.isOne();
	}

	/** The ids of all members, those of both sides of a change, in their order. */
	public List<String> members() {
		return this.rings.members().stream().map(Member::id).toList();
	}

	/** The ids of the members that the change under way adds; none without a change. */
	public List<String> joiners() {
		return this.rings.after()
			.members()
			.stream()
			.map(Member::id)
			.filter((id) -> this.rings.before().members().stream().noneMatch((member) -> member.id().equals(id)))
			.toList();
	}

	/** Whether a node is a member on either side. */
	public boolean hasMember(String id) {
		return this.rings.hasMember(id);
	}

	/** Address of a member, or {@code null} for a node that is alone and needs none. */
	public @Nullable Endpoint endpointOf(String member) {
		for (Endpoint endpoint : this.endpoints) {
			if (endpoint.id().equals(member)) {
				return endpoint;
			}
		}
		return null;
	}

	/** The storage id of the directory of a member, {@code null} if none is named. */
	public @Nullable UUID directoryOf(String member) {
		return this.directories.get(member);
	}

	/** Whether a member is a replica of a key on either side. */
	public boolean isReplica(String member, Key key) {
		return this.rings.isReplica(member, this.rings.partitionOf(key));
	}

	/** Whether both layouts assign all keys alike. */
	public boolean assignsAs(Layout other) {
		return this.rings.before().epoch() == other.rings.before().epoch()
				&& this.rings.after().epoch() == other.rings.after().epoch();
	}

	/**
	 * Hash of what all members have to agree on, see {@link Ring#epoch()}.
	 */
	public long epoch() {
		return ring().epoch();
	}

	/**
	 * Whether the members that count are a majority, on each side of a change.
	 * @param counts whether a member counts, by its id
	 */
	public boolean isMajority(Predicate<String> counts) {
		return isMajority(this.rings.before(), counts) && isMajority(this.rings.after(), counts);
	}

	private static boolean isMajority(Ring ring, Predicate<String> counts) {
		long counted = ring.members().stream().map(Member::id).filter(counts).count();
		return counted > ring.members().size() / 2;
	}

}
