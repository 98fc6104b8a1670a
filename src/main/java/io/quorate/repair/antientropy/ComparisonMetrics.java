package io.quorate.repair.antientropy;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.micrometer.core.instrument.MeterRegistry;

/** The meters of comparisons, for each peer. Safe for any number of threads. */
final class ComparisonMetrics {

	private final Map<String, PeerMetrics> byPeer;

	ComparisonMetrics(MeterRegistry registry, List<String> peers) {
		this.byPeer = peers.stream()
			.collect(Collectors.toUnmodifiableMap(Function.identity(), (peer) -> new PeerMetrics(registry, peer)));
	}

	PeerMetrics of(String peer) {
		return Objects.requireNonNull(this.byPeer.get(peer), peer);
	}

	/** Seconds since the last completed round with each peer began, or NaN. */
	Map<String, Double> agesSeconds() {
		Map<String, Double> ages = new TreeMap<>();
		this.byPeer.forEach((peer, metrics) -> ages.put(peer, metrics.ageSeconds()));
		return ages;
	}

}
