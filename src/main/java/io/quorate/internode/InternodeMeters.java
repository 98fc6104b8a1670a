package io.quorate.internode;

import io.quorate.meter.DocumentedMeter;
import io.quorate.meter.MeterDeclaration;

import static io.quorate.meter.MeterDeclaration.BYTES;
import static io.quorate.meter.MeterDeclaration.SECONDS;

/**
 * The meters of connections between nodes, of event loops, and of the members' clocks.
 */
public enum InternodeMeters implements DocumentedMeter {

	/** Requests to a peer that were sent. */
	REQUEST(MeterDeclaration.timer("quorate.internode.request",
			"Requests to a peer, until the answer; cancelled: reads given up before it, as a rule because other replicas were faster",
			"peer", "operation", "outcome")),

	/** Bytes that went over the network. */
	TRANSFERRED(MeterDeclaration.counter("quorate.internode.transferred",
			"Bytes of requests sent to a peer, and of its replies; without keep-alives, and replies to requests that were given up",
			"peer", "direction")
		.in(BYTES)),

	/** Connections to a peer. */
	CONNECTIONS(MeterDeclaration.gauge("quorate.internode.connections",
			"Connections to a peer that are up, with encryption (tls) and without (plain): in all one for each event loop, and one for large values",
			"peer", "encryption")),

	/** The forms of connections that are used. */
	TLS(MeterDeclaration.gauge("quorate.internode.tls",
			"1 for the form of connections between nodes that quorate.internode.tls has, 0 for the others", "mode")),

	/** Connections to this node that were refused. */
	CONNECTIONS_REFUSED(MeterDeclaration.counter("quorate.internode.connections.refused",
			"Connections to the port between nodes that were refused: no member, not encrypted, without a handshake in time, not understood, one too many of a member, or of a member that takes no replies; the log says why")),

	/** Attempts to connect to a peer. */
	CONNECTS(
			MeterDeclaration.counter("quorate.internode.connects", "Attempts to connect to a peer", "peer", "outcome")),

	/** Requests to a peer that were not sent. */
	REFUSED(MeterDeclaration.counter("quorate.internode.refused",
			"Requests to a peer that were not sent: its requests or bytes in flight were at their bound, or there was no connection",
			"peer", "reason")),

	/** The state of another member. */
	MEMBER(MeterDeclaration.gauge("quorate.internode.member",
			"1 for the state that another member is in, 0 for the other states", "member", "state")),

	/** The refusal of a peer. */
	MISMATCH(MeterDeclaration.gauge("quorate.internode.mismatch",
			"1 while this node and a peer refuse each other for their versions or configurations, else 0; the health of the cluster says why",
			"peer")),

	/** Suspicions of a peer. */
	SUSPECTED(MeterDeclaration.counter("quorate.internode.suspected",
			"Times that a peer fell silent with work outstanding", "peer")),

	/** Requests of peers that came too late. */
	EXPIRED(MeterDeclaration.counter("quorate.internode.expired",
			"Requests of peers that were dropped because their deadline had passed")),

	/** The lateness of event loops. */
	EVENT_LOOP_LAG(MeterDeclaration.timer("quorate.event.loop.lag",
			"Lateness of due tasks on event loops, probed every 100 ms on each of them")),

	/** Memory outside the heap. */
	DIRECT_MEMORY(MeterDeclaration
		.gauge("quorate.direct.memory", "Memory outside the heap that the buffers of connections take")
		.in(BYTES)),

	/** The bound of the memory outside the heap. */
	DIRECT_MEMORY_LIMIT(
			MeterDeclaration.gauge("quorate.direct.memory.limit", "Bound of the memory outside the heap").in(BYTES)),

	/** The time for which connections to peers can still be made. */
	CERTIFICATE_REMAINING(MeterDeclaration.gauge("quorate.internode.certificate.remaining",
			"Time until the certificate that this node shows its peers expires; NaN without quorate.internode.ssl-bundle")
		.in(SECONDS)),

	/** The own clock among those of the members. */
	CLOCK_OFFSET(
			MeterDeclaration.gauge("quorate.clock.offset", "Own physical clock minus the median of the members' clocks")
				.in(SECONDS)),

	/** The clock of another member. */
	MEMBER_CLOCK_OFFSET(MeterDeclaration
		.gauge("quorate.clock.member.offset",
				"Physical clock of another member minus the own one; NaN before anything was heard of it", "member")
		.in(SECONDS)),

	/** The hybrid clock. */
	CLOCK_AHEAD(MeterDeclaration.gauge("quorate.clock.ahead", "Lead of the hybrid clock over the own physical clock")
		.in(SECONDS));

	@SuppressWarnings("ImmutableEnumChecker") // Its lists cannot be modified.
	private final MeterDeclaration declaration;

	InternodeMeters(MeterDeclaration declaration) {
		this.declaration = declaration;
	}

	@Override
	public MeterDeclaration declaration() {
		return this.declaration;
	}

}
