package io.quorate.internode;

import java.util.List;

/**
 * All other members as replicas.
 *
 * @param all one for each, in the order of the configuration
 */
public record Peers(List<PeerReplica> all) implements AutoCloseable {

	public Peers {
		all = List.copyOf(all);
	}

	void connect() {
		this.all.forEach(PeerReplica::connect);
	}

	@Override
	public void close() {
		this.all.forEach(PeerReplica::close);
	}

}
