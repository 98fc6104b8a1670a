package io.quorate.repair;

import io.quorate.meter.DocumentedMeter;
import io.quorate.meter.MeterDeclaration;

import static io.quorate.meter.MeterDeclaration.BYTES;
import static io.quorate.meter.MeterDeclaration.SECONDS;

/** What repairs measure. */
public enum RepairMeters implements DocumentedMeter {

	/** Hints kept. */
	HINTS_STORED(MeterDeclaration.counter("quorate.hints.stored",
			"Writes that a member has missed and that are kept for it", "peer")),

	/** Hints handed over. */
	HINTS_HANDED_OVER(MeterDeclaration.counter("quorate.hints.handed.over",
			"Hints that a member has taken, or for which it holds something newer", "peer")),

	/** Hints not handed over. */
	HINTS_DROPPED(MeterDeclaration.counter("quorate.hints.dropped",
			"Hints that are handed over to nobody: no room in the queue, for the peer, or on the disk; the disk has failed; "
					+ "too old; refused as too old; never taken; a damaged place of the file",
			"reason")),

	/** Hints owed. */
	HINTS_OWED(MeterDeclaration.gauge("quorate.hints.owed", "Hints kept for a member", "peer")),

	/** Bytes of hints owed. */
	HINTS_OWED_SIZE(MeterDeclaration
		.gauge("quorate.hints.owed.size", "Bytes on the disk of the hints kept for a member", "peer")
		.in(BYTES)),

	/** Age of what is owed. */
	HINTS_OLDEST(MeterDeclaration
		.gauge("quorate.hints.oldest", "Age of the oldest hint kept for a member, 0 when there is none", "peer")
		.in(SECONDS)),

	/** Hints that are not written yet. */
	HINTS_QUEUE(MeterDeclaration
		.gauge("quorate.hints.queue",
				"Bytes of hints that wait in memory to be written, bounded by quorate.repair.hints.queue-bytes")
		.in(BYTES)),

	/** Hints under way. */
	HINTS_WINDOW(MeterDeclaration.gauge("quorate.hints.window",
			"Hints that may at present be under way to a member at once", "peer"));

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
