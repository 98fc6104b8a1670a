package io.quorate.internode.context;

import java.util.Set;
import java.util.function.Supplier;

import io.quorate.internode.wire.LocalNode;

/**
 * This node among the members.
 *
 * @param others ids of all members but this node, at present: the handshake of any other
 * node is refused
 * @param drainState state of this node's shutdown
 */
public record ThisNode(LocalNode self, Supplier<Set<String>> others, DrainState drainState) {

	public ThisNode(LocalNode self, Supplier<Set<String>> others) {
		this(self, others, new DrainState());
	}

}
