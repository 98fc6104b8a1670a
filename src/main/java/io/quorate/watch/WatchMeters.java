package io.quorate.watch;

import io.quorate.meter.DocumentedMeter;
import io.quorate.meter.MeterDeclaration;

/** The meters of watches. */
enum WatchMeters implements DocumentedMeter {

	/** Watches. */
	ACTIVE(MeterDeclaration.gauge("quorate.watch.active",
			"Watches at this node, in each state: live, behind while it catches up, stalled while too few members are reached",
			"state")),

	/** Events. */
	EVENTS(MeterDeclaration.counter("quorate.watch.events",
			"Changes reported to watches, confirmed by a majority that has named them, or by a read", "confirmed"));

	@SuppressWarnings("ImmutableEnumChecker") // Its lists cannot be modified.
	private final MeterDeclaration declaration;

	WatchMeters(MeterDeclaration declaration) {
		this.declaration = declaration;
	}

	@Override
	public MeterDeclaration declaration() {
		return this.declaration;
	}

}
