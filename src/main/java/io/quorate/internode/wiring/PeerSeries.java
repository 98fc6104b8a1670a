package io.quorate.internode.wiring;

import java.util.List;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.membership.LayoutFollower;

/**
 * Removes the meters of a peer that has left, of all rooms: those that have its id in a
 * tag for peers or members.
 */
record PeerSeries(MeterRegistry registry) implements LayoutFollower {

	private static final List<String> TAGS = List.of("peer", "member");

	@Override
	public void left(String peer) {
		List.copyOf(this.registry.getMeters())
			.stream()
			.map(Meter::getId)
			.filter((id) -> TAGS.stream().anyMatch((tag) -> peer.equals(id.getTag(tag))))
			.forEach(this.registry::remove);
	}

}
