package io.quorate.backup;

import io.quorate.meter.DocumentedMeter;
import io.quorate.meter.MeterDeclaration;

/** The meters of backups. */
enum BackupMeters implements DocumentedMeter {

	/** Backups, taken or failed. */
	TAKEN(MeterDeclaration.timer("quorate.backup", "One backup of this node, taken or failed; not those refused",
			"outcome")),

	/** Age of the newest backup. */
	AGE(MeterDeclaration.gauge("quorate.backup.age", "Age of the newest backup of this node; NaN without any")
		.in(MeterDeclaration.SECONDS)),

	/** Number of backups. */
	KEPT(MeterDeclaration.gauge("quorate.backup.kept", "Backups of this node that are there")),

	/** Size of the newest backup. */
	SIZE(MeterDeclaration
		.gauge("quorate.backup.size", "Bytes of the newest backup, also those that the store has itself")
		.in(MeterDeclaration.BYTES));

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
