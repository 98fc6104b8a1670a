package io.quorate.repair.meter;

import io.quorate.meter.DocumentedMeter;
import io.quorate.meter.MeterDeclaration;

import static io.quorate.meter.MeterDeclaration.BYTES;
import static io.quorate.meter.MeterDeclaration.SECONDS;

/** The meters of repair: hints, comparisons, purges, rebuilds and moves. */
public enum RepairMeters implements DocumentedMeter {

	/** Hints kept. */
	HINTS_STORED(MeterDeclaration.counter("quorate.hints.stored",
			"Writes that a member has missed and that are kept for it", "peer")),

	/** Hints handed over. */
	HINTS_HANDED_OVER(MeterDeclaration.counter("quorate.hints.handed.over",
			"Hints that a member has taken, or for which it holds something newer", "peer")),

	/** Hints not handed over. */
	HINTS_DROPPED(MeterDeclaration.counter("quorate.hints.dropped",
			"Hints that were dropped: no room in the queue, for the peer, or on the disk; the disk has failed; "
					+ "too old; refused as too old; never taken; a damaged place of the file",
			"reason")),

	/** Hint backlog. */
	HINTS_OWED(MeterDeclaration.gauge("quorate.hints.owed", "Hints kept for a member", "peer")),

	/** Time since both stores were last the same. */
	COMPARISON_AGE(MeterDeclaration.gauge("quorate.repair.comparison.age",
			"Time since the last completed comparison with a peer, led by either node, began; NaN before the first since the start",
			"peer")
		.in(SECONDS)),

	/** Outcomes of comparisons. */
	COMPARISONS(MeterDeclaration.counter("quorate.repair.comparisons",
			"Comparisons with a peer led by this node that were completed, or interrupted to go on later", "peer",
			"outcome")),

	/** Differences mended. */
	ENTRIES(MeterDeclaration.counter("quorate.repair.entries",
			"Entries that comparisons led by this node have sent to a peer or received from it", "peer", "direction")),

	/** Bytes that comparisons transfer. */
	TRANSFERRED(MeterDeclaration.counter("quorate.repair.transferred",
			"Bytes that comparisons led by this node have sent and received: hashes of ranges, keys and headers, entries",
			"peer", "kind")
		.in(BYTES)),

	/** Purges that are withheld. */
	PURGE_WITHHELD(MeterDeclaration.gauge("quorate.purge.withheld",
			"Time for which purges have waited beyond the grace period because a member has not agreed: it is away, is rebuilding, or was not compared yet",
			"peer", "reason")
		.in(SECONDS)),

	/** Purge horizon. */
	PURGE_HORIZON(MeterDeclaration
		.gauge("quorate.purge.horizon", "Age of the youngest deletion that may have been purged; NaN for none")
		.in(SECONDS)),

	/** Whether the node is rebuilt. */
	REBUILDING(MeterDeclaration.gauge("quorate.rebuilding",
			"1 while the node is rebuilt from its peers and answers no reads, else 0")),

	/** Entries that rebuilds have copied. */
	REBUILD_COPIED(MeterDeclaration.gauge("quorate.rebuild.copied",
			"Entries copied and merged by rebuilds since the start of the process")),

	/** Bytes that changes of members bring. */
	MOVED(MeterDeclaration
		.counter("quorate.move", "Bytes of entries that this node has received of what it gains in changes of members")
		.in(BYTES)),

	/** Progress of what changes of members bring. */
	MOVE_PROGRESS(MeterDeclaration.gauge("quorate.move.progress",
			"Copied part of what this node gains in a change of members, an estimate; 1 when it is whole, or there is no change")
		.in("ratio"));

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
