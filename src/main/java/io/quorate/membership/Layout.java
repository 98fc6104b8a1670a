package io.quorate.membership;

import java.util.List;

import io.quorate.entry.Key;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import org.jspecify.annotations.Nullable;

/**
 * The members of the cluster with their addresses, and the assignment of keys to them.
 * All members have to agree about it. Immutable.
 *
 * @param version number of the layout: a later one replaces an earlier one, and the first
 * is {@value #FIRST}
 * @param endpoints addresses of the members, in the order of the configuration; none when
 * a node is alone
 * @param ring assignment of keys to members
 */
public record Layout(long version, List<Endpoint> endpoints, Ring ring) {

	/** The version of the layout that the configuration describes. */
	public static final long FIRST = 1;

	public Layout {
		endpoints = List.copyOf(endpoints);
	}

	/** The same members and assignment as another version. */
	Layout at(long other) {
		return new Layout(other, this.endpoints, this.ring);
	}

	/** The ids of all members, in their order. */
	public List<String> members() {
		return this.ring.members().stream().map(Member::id).toList();
	}

	/** Address of a member, or {@code null} for a node that is alone and needs none. */
	public @Nullable Endpoint endpointOf(String member) {
		return this.endpoints.stream().filter((endpoint) -> endpoint.id().equals(member)).findFirst().orElse(null);
	}

	/** Whether a member is a replica of a key. */
	public boolean isReplica(String member, Key key) {
		return this.ring.replicas(this.ring.partitionOf(key)).stream().anyMatch((each) -> each.id().equals(member));
	}

	/**
	 * Hash of what all members have to agree on, see {@link Ring#epoch()}.
	 */
	public long epoch() {
		return this.ring.epoch();
	}

	/** Number of members that are a majority of them. */
	public int majority() {
		return this.ring.members().size() / 2 + 1;
	}

}
