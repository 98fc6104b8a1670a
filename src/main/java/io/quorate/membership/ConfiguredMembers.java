package io.quorate.membership;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * The checks of the nodes that a configuration names. A configuration that is wrong is
 * reported by an {@link IllegalArgumentException}.
 */
final class ConfiguredMembers {

	private ConfiguredMembers() {
	}

	/**
	 * Address of this node, which the configuration does not name as a member.
	 * @param join value of {@code quorate.cluster.join}
	 */
	static Endpoint candidate(String self, List<Endpoint> members, @Nullable String join) {
		if (join == null) {
			throw new IllegalArgumentException(
					"this node, '%s' (quorate.node.id), is not among the members %s; a node that is to join them later has quorate.cluster.join"
						.formatted(self, members));
		}
		Endpoint own = Endpoint.parse(join);
		if (!own.id().equals(self)) {
			throw new IllegalArgumentException(
					"quorate.cluster.join is %s, and this node is '%s' (quorate.node.id)".formatted(own, self));
		}
		return own;
	}

	/**
	 * The nodes of a list of seeds. Of an id that both lists have, zone and address are
	 * those of the members.
	 */
	static List<Endpoint> seeds(List<String> seeds, Layout first) {
		List<Endpoint> endpoints = seeds.stream().map(Endpoint::parse).toList();
		requireApart(endpoints);
		Map<String, Endpoint> byId = new TreeMap<>();
		for (Endpoint seed : endpoints) {
			Endpoint configured = first.endpointOf(seed.id());
			Endpoint other = byId.put(seed.id(), (configured != null) ? configured : seed);
			other = (configured != null) ? configured : other;
			if (other != null && !other.hasAddressOf(seed)) {
				throw new IllegalArgumentException(
						"the seed %s (quorate.cluster.seeds) has two addresses: %s is the other".formatted(seed,
								other));
			}
		}
		return List.copyOf(byId.values());
	}

	/** Requires that no two nodes of a list have one address. */
	static void requireApart(List<Endpoint> endpoints) {
		Map<String, Endpoint> byAddress = new HashMap<>();
		for (Endpoint endpoint : endpoints) {
			Endpoint other = byAddress.put(endpoint.host() + " " + endpoint.port(), endpoint);
			if (other != null && !other.id().equals(endpoint.id())) {
				throw new IllegalArgumentException("the members %s and %s have one address".formatted(other, endpoint));
			}
		}
	}

}
