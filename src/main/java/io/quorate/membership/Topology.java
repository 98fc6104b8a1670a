package io.quorate.membership;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import org.jspecify.annotations.Nullable;

/**
 * The members of the cluster as all of them have to know them, and the one that this node
 * is. A topology stays the same as long as the process runs.
 *
 * @param self id of this node
 * @param endpoints addresses of the members, in the order of the configuration; none when
 * this node is alone
 * @param ring assignment of keys to members
 */
public record Topology(String self, List<Endpoint> endpoints, Ring ring) {

	public Topology {
		endpoints = List.copyOf(endpoints);
	}

	/**
	 * The topology of a configuration.
	 * @param self id of this node
	 * @param members {@code id@host:port[/zone]} of each, this node included; none for a
	 * node alone
	 * @param replicationFactor greatest number of members that hold an entry,
	 * {@code null} for all of them
	 * @throws TopologyException when there can be no such cluster
	 */
	static Topology of(String self, List<String> members, @Nullable Integer replicationFactor) {
		try {
			List<Endpoint> endpoints = members.stream().map(Endpoint::parse).toList();
			requireApart(endpoints);
			List<Member> all = endpoints.isEmpty() ? List.of(Member.of(self))
					: endpoints.stream().map(Endpoint::member).toList();
			Ring ring = Ring.of(all, (replicationFactor != null) ? replicationFactor : all.size());
			if (all.stream().noneMatch((member) -> member.id().equals(self))) {
				throw new IllegalArgumentException(
						"this node, '%s' (quorate.node.id), is not among the members %s".formatted(self, endpoints));
			}
			return new Topology(self, endpoints, ring);
		}
		catch (IllegalArgumentException wrong) {
			throw new TopologyException(String.valueOf(wrong.getMessage()), wrong);
		}
	}

	private static void requireApart(List<Endpoint> endpoints) {
		Map<String, Endpoint> byAddress = new HashMap<>();
		for (Endpoint endpoint : endpoints) {
			Endpoint other = byAddress.put(endpoint.host() + " " + endpoint.port(), endpoint);
			if (other != null && !other.id().equals(endpoint.id())) {
				throw new IllegalArgumentException("the members %s and %s have one address".formatted(other, endpoint));
			}
		}
	}

	/** Whether this node is the only one. */
	public boolean isAlone() {
		return this.ring.members().size() == 1;
	}

	/** Address of this node itself, or {@code null} when it is alone and needs none. */
	public @Nullable Endpoint own() {
		return this.endpoints.stream().filter((endpoint) -> endpoint.id().equals(this.self)).findFirst().orElse(null);
	}

	/** All members but this node. */
	public List<Endpoint> peers() {
		return this.endpoints.stream().filter((endpoint) -> !endpoint.id().equals(this.self)).toList();
	}

	/**
	 * Hash of the configuration that all members have to agree on, see
	 * {@link Ring#epoch()}.
	 */
	public long epoch() {
		return this.ring.epoch();
	}

	/** Number of members that are a majority of them. */
	public int majority() {
		return this.ring.members().size() / 2 + 1;
	}

}
