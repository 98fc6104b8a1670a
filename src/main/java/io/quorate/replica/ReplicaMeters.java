package io.quorate.replica;

import io.quorate.meter.DocumentedMeter;
import io.quorate.meter.MeterDeclaration;

/** The meters of a replica. */
enum ReplicaMeters implements DocumentedMeter {

	/** The work of this node's own replica. */
	LOCAL(MeterDeclaration.timer("quorate.replica.local",
			"One request to the local replica, of this node's coordinator or of a peer, until its reply is made",
			"operation", "outcome"));

	@SuppressWarnings("ImmutableEnumChecker") // Its lists cannot be modified.
	private final MeterDeclaration declaration;

	ReplicaMeters(MeterDeclaration declaration) {
		this.declaration = declaration;
	}

	@Override
	public MeterDeclaration declaration() {
		return this.declaration;
	}

}
