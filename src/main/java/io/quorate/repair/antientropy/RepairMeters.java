package io.quorate.repair.antientropy;

import io.quorate.meter.DocumentedMeter;
import io.quorate.meter.MeterDeclaration;

import static io.quorate.meter.MeterDeclaration.BYTES;
import static io.quorate.meter.MeterDeclaration.SECONDS;

/** What is measured of comparisons. */
enum RepairMeters implements DocumentedMeter {

	/** When both stores were last the same. */
	COMPARISON_AGE(MeterDeclaration.gauge("quorate.repair.comparison.age",
			"Time since the last completed comparison with a peer, whoever led it, began; NaN before the first since the start",
			"peer")
		.in(SECONDS)),

	/** Whether one is under way. */
	COMPARISON_RUNNING(MeterDeclaration.gauge("quorate.repair.comparison.running",
			"1 while a comparison with a peer led by this node is under way, else 0", "peer")),

	/** How long comparisons take. */
	COMPARISON_DURATION(MeterDeclaration
		.gauge("quorate.repair.comparison.duration",
				"How long the last completed comparison led by this node took, pauses included; NaN before the first",
				"peer")
		.in(SECONDS)),

	/** How comparisons end. */
	COMPARISONS(MeterDeclaration.counter("quorate.repair.comparisons",
			"Comparisons with a peer led by this node that were completed, or interrupted to go on later", "peer",
			"outcome")),

	/** Entries looked at. */
	KEYS(MeterDeclaration.counter("quorate.repair.keys.compared",
			"Entries of this node's store that comparisons led by it have looked at", "peer")),

	/** Differences found. */
	RANGES(MeterDeclaration.counter("quorate.repair.ranges.differing",
			"Ranges of some 64 keys in which a comparison led by this node found a difference", "peer")),

	/** Differences mended. */
	ENTRIES(MeterDeclaration.counter("quorate.repair.entries",
			"Entries that comparisons led by this node have sent to a peer or received from it", "peer", "direction")),

	/** What comparisons cost. */
	TRANSFERRED(MeterDeclaration.counter("quorate.repair.transferred",
			"Bytes that comparisons led by this node have sent and received: hashes of ranges, keys and headers, entries",
			"peer", "kind")
		.in(BYTES));

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
