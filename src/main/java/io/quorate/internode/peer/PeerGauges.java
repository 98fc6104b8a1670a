package io.quorate.internode.peer;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.internode.InternodeMeters;
import io.quorate.membership.members.MemberState;

/** Registers gauges for the state of a link to a peer. */
public final class PeerGauges {

	private PeerGauges() {
	}

	public static void register(PeerLink link, MeterRegistry registry) {
		InternodeMeters.CONNECTIONS.gauge(registry, link, (its) -> its.connections(true), link.peer(), "tls");
		InternodeMeters.CONNECTIONS.gauge(registry, link, (its) -> its.connections(false), link.peer(), "plain");
		InternodeMeters.MISMATCH.gauge(registry, link, (its) -> its.isRefused() ? 1 : 0, link.peer());
		for (MemberState state : MemberState.values()) {
			InternodeMeters.MEMBER.gauge(registry, link, (its) -> (its.state() == state) ? 1 : 0, link.peer(),
					state.word());
		}
	}

}
