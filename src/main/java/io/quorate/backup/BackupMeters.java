package io.quorate.backup;

import io.quorate.meter.DocumentedMeter;
import io.quorate.meter.MeterDeclaration;

/** The meters of backups. */
enum BackupMeters implements DocumentedMeter {

	/** Age of the newest backup. */
	AGE(MeterDeclaration.gauge("quorate.backup.age", "Age of the newest backup of this node; NaN without any")
		.in(MeterDeclaration.SECONDS));

	@SuppressWarnings("ImmutableEnumChecker") // Its lists cannot be modified.
	private final MeterDeclaration declaration;

	BackupMeters(MeterDeclaration declaration) {
		this.declaration = declaration;
	}

	@Override
	public MeterDeclaration declaration() {
		return this.declaration;
	}

}
