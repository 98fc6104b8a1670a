package io.quorate.operations;

import io.quorate.meter.DocumentedMeter;
import io.quorate.meter.MeterDeclaration;

/** The meters of the node as a whole. */
enum OperationsMeters implements DocumentedMeter {

	/** Readiness. */
	READY(MeterDeclaration.gauge("quorate.ready", "1 while the readiness probe is answered 200, else 0")),

	/** Liveness. */
	LIVE(MeterDeclaration.gauge("quorate.live", "1 while the liveness probe is answered 200, else 0")),

	/** Version of the software. */
	INFO(MeterDeclaration.gauge("quorate.info", "1, with the version of the software", "version")),

	/** Time that the start took. */
	START(MeterDeclaration
		.gauge("quorate.start",
				"Time from the start of the process until it served clients and had met a majority; NaN before")
		.in(MeterDeclaration.SECONDS));

	@SuppressWarnings("ImmutableEnumChecker") // Its lists cannot be modified.
	private final MeterDeclaration declaration;

	OperationsMeters(MeterDeclaration declaration) {
		this.declaration = declaration;
	}

	@Override
	public MeterDeclaration declaration() {
		return this.declaration;
	}

}
