package io.quorate.internode.peer;

import java.util.List;

/**
 * The peers of this node, as replicas.
 *
 * @param all one replica for each peer, in the order of the configuration
 */
public record Peers(List<PeerReplica> all) implements AutoCloseable {

	public Peers {
		all = List.copyOf(all);
	}

	public void connect() {
		this.all.forEach(PeerReplica::connect);
	}

	@Override
	public void close() {
		this.all.forEach(PeerReplica::close);
	}

}
