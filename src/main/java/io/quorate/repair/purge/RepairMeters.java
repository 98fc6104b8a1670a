package io.quorate.repair.purge;

import io.quorate.meter.DocumentedMeter;
import io.quorate.meter.MeterDeclaration;

import static io.quorate.meter.MeterDeclaration.SECONDS;

/** What is measured of purges and rebuilds. */
enum RepairMeters implements DocumentedMeter {

	/** What is withheld from purge. */
	PURGE_WITHHELD(MeterDeclaration.gauge("quorate.purge.withheld",
			"For how long deletions that are old enough have not been purged because a member has not agreed: it is away, is rebuilding, or was not compared yet",
			"peer", "reason")
		.in(SECONDS)),

	/** Members that are not waited for. */
	PURGE_LOST(MeterDeclaration.gauge("quorate.purge.lost",
			"1 while a member counts as lost and purges do not wait for it, else 0", "peer")),

	/** How far purges have come. */
	PURGE_HORIZON(MeterDeclaration
		.gauge("quorate.purge.horizon", "Age of the youngest deletion that may have been purged; NaN for none")
		.in(SECONDS)),

	/** Whether the node is rebuilt. */
	REBUILDING(MeterDeclaration.gauge("quorate.rebuilding",
			"1 while the node is rebuilt from its peers and answers no reads, else 0")),

	/** What a rebuild has copied. */
	REBUILD_COPIED(MeterDeclaration.gauge("quorate.rebuild.copied",
			"Entries copied and merged by rebuilds since the start of the process"));

	@SuppressWarnings("ImmutableEnumChecker") // Its lists cannot be modified.
	private final MeterDeclaration declaration;

	RepairMeters(MeterDeclaration declaration) {
		this.declaration = declaration;
	}

	@Override
	public MeterDeclaration declaration() {
		return this.declaration;
	}

}
