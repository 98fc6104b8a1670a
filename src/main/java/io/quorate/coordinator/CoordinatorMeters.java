package io.quorate.coordinator;

import io.quorate.meter.DocumentedMeter;
import io.quorate.meter.MeterDeclaration;

import static io.quorate.meter.MeterDeclaration.BYTES;

/** The meters of the coordinator. */
enum CoordinatorMeters implements DocumentedMeter {

	/** Time of answered requests, by stage. */
	STAGE(MeterDeclaration.timer("quorate.coordinator.stage",
			"Time that an answered request spent waiting for a timestamp, for the last answer of a replica that it needed, and until enough replicas held what it found",
			"operation", "stage")),

	/** Requests in flight. */
	INFLIGHT_REQUESTS(
			MeterDeclaration.gauge("quorate.inflight.requests", "Requests of clients in flight in this node")),

	/** The bound on requests in flight. */
	INFLIGHT_REQUESTS_LIMIT(MeterDeclaration.gauge("quorate.inflight.requests.limit",
			"Bound on requests in flight, quorate.coordinator.max-requests")),

	/** Bytes in flight. */
	INFLIGHT(MeterDeclaration.gauge("quorate.inflight", "Bytes of values in flight in this node").in(BYTES)),

	/** The bound on bytes in flight. */
	INFLIGHT_LIMIT(
			MeterDeclaration.gauge("quorate.inflight.limit", "Bound on bytes in flight, quorate.coordinator.max-bytes")
				.in(BYTES)),

	/** Requests refused. */
	SHED(MeterDeclaration.counter("quorate.shed",
			"Requests refused, and scans broken off: with 429 at the share of a principal; with 503 at a bound of this node, when all replicas needed were overloaded, the clock is not believed, the node drains, or it stood still past their deadline",
			"reason")),

	/** Hedged reads. */
	HEDGE(MeterDeclaration.counter("quorate.hedge",
			"Reads that asked one more replica after a delay; won: its reply was part of the answer", "won")),

	/** Reads that asked another replica. */
	READS_MOVED_ON(MeterDeclaration.counter("quorate.reads.moved.on",
			"Replicas asked by reads because another one had failed or fallen silent, or had not answered when the deadline was near",
			"reason")),

	/** Values that reads asked for afterwards. */
	READS_FETCHED(MeterDeclaration.counter("quorate.reads.fetched",
			"Values that reads asked for once more, because only replicas that had left them out hold them")),

	/** Repairs. */
	READ_REPAIR(MeterDeclaration.counter("quorate.read.repair",
			"Repairs of stale replicas found by reads and scans, which their read waited for or not", "kind",
			"outcome")),

	/** Writes that a replica did not acknowledge. */
	ACKS_MISSING(MeterDeclaration.counter("quorate.acks.missing",
			"Writes that a replica has not acknowledged: it failed, refused, or was silent until the deadline",
			"peer")),

	/** Time until writes are on all of their replicas. */
	SPREAD(MeterDeclaration.timer("quorate.coordinator.spread",
			"Time from a write's beginning until all of its replicas held it; without writes that one of them missed")),

	/** Requests that were planned anew. */
	PLANNED_ANEW(MeterDeclaration.counter("quorate.planned.anew",
			"Attempts of requests that ended because replicas have adopted another layout")),

	/** Keys that scans looked at, and records that they returned. */
	SCAN_KEYS(MeterDeclaration.counter("quorate.scan.keys",
			"Keys that scans coordinated here have looked at (examined), and records that they have returned",
			"outcome")),

	/** Scans under way. */
	SCANS_OPEN(MeterDeclaration.gauge("quorate.scans.open", "Scans under way")),

	/** Partitions that miss replicas. */
	QUORUM_PARTITIONS(MeterDeclaration.gauge("quorate.quorum.partitions",
			"Partitions of whose replicas no majority is connected (unavailable), or one is not (degraded), as this node sees it",
			"state"));

	@SuppressWarnings("ImmutableEnumChecker") // Its lists cannot be modified.
	private final MeterDeclaration declaration;

	CoordinatorMeters(MeterDeclaration declaration) {
		this.declaration = declaration;
	}

	@Override
	public MeterDeclaration declaration() {
		return this.declaration;
	}

}
