package io.quorate.repair.antientropy;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

import io.micrometer.core.instrument.MeterRegistry;

/** The meters of comparisons, for each peer. Safe for any number of threads. */
final class ComparisonMetrics {

	private final MeterRegistry registry;

	private final Map<String, PeerMetrics> byPeer = new ConcurrentHashMap<>();

	ComparisonMetrics(MeterRegistry registry) {
		this.registry = registry;
	}

	/** The meters of a peer, which exist from the first call on. */
	PeerMetrics of(String peer) {
		return this.byPeer.computeIfAbsent(peer, (id) -> new PeerMetrics(this.registry, id));
	}

	void forget(String peer) {
		this.byPeer.remove(peer);
	}

	/** Seconds since the last completed round with each peer began, or NaN. */
	Map<String, Double> agesSeconds() {
		Map<String, Double> ages = new TreeMap<>();
		this.byPeer.forEach((peer, metrics) -> ages.put(peer, metrics.ageSeconds()));
		return ages;
	}

}
