package io.quorate.repair.antientropy;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;

/** The meters of comparisons, for each peer. Safe for any number of threads. */
final class ComparisonMetrics {

	private final MeterRegistry registry;

	private final Map<String, PeerMetrics> byPeer = new ConcurrentHashMap<>();

	ComparisonMetrics(MeterRegistry registry) {
		this.registry = registry;
	}

	/** Makes the meters of a peer, unless it has some. */
	PeerMetrics add(String peer) {
		return this.byPeer.computeIfAbsent(peer, (id) -> new PeerMetrics(this.registry, id));
	}

	/** The meters of a peer, or {@code null} when it is none, or none any more. */
	@Nullable PeerMetrics of(String peer) {
		return this.byPeer.get(peer);
	}

	/** Forgets a peer that has left. Its meters are removed elsewhere. */
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
