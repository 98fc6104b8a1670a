package io.quorate.repair.overview;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The state of repair at this node, and between it and each of its peers.
 *
 * @param node id of this node
 * @param rebuilding whether it is rebuilt from its peers, and cannot be read
 * @param purgedAgeSeconds age from which on deletions may have been purged, {@code null}
 * as long as none may be
 * @param pairs this node with each of its peers, in the order of their ids
 */
public record RepairState(String node, boolean rebuilding, @Nullable Double purgedAgeSeconds, List<PairState> pairs) {

	public RepairState {
		pairs = List.copyOf(pairs);
	}

}
