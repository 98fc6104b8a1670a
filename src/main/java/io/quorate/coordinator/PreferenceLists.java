package io.quorate.coordinator;

import java.util.List;

import io.quorate.entry.Key;
import io.quorate.replica.Replica;

/** Which nodes hold a key. */
public interface PreferenceLists {

	/** The replicas of a key, the most preferred first. */
	List<Replica> replicasOf(Key key);

	/** How many nodes hold a key at the most. */
	int replicationFactor();

	/** The one node of a cluster of one. */
	static PreferenceLists alone(Replica replica) {
		List<Replica> all = List.of(replica);
		return new PreferenceLists() {

			@Override
			public List<Replica> replicasOf(Key key) {
				return all;
			}

			@Override
			public int replicationFactor() {
				return 1;
			}

		};
	}

}
