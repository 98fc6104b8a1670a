package io.quorate.warmup;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.concurrent.CompletableFuture;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.quorate.api.ScratchApi;
import io.quorate.clock.ClockCeiling;
import io.quorate.clock.HybridClock;
import io.quorate.clock.SkewJudge;
import io.quorate.clock.TimeSource;
import io.quorate.coordinator.ScratchCoordinator;
import io.quorate.internode.ScratchReplicas;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.storage.ScratchStores;
import io.quorate.storage.Store;

/**
 * A cluster of three replicas within this process, with stores, a clock, meters and a
 * port for HTTP of its own. Nothing of it stays when it is closed.
 */
final class ScratchCluster implements AutoCloseable {

	/* Also the names of the directories of their stores. */
	private static final List<String> REPLICAS = List.of("warm-up-0", "warm-up-1", "warm-up-2");

	private static final Duration MAX_SKEW = Duration.ofMinutes(1);

	private final Deque<AutoCloseable> open = new ArrayDeque<>();

	private final MeterRegistry meters;

	private final int port;

	ScratchCluster(ScratchStores stores, ScratchReplicas replicas, ScratchCoordinator.Factory coordinators,
			ScratchApi api, TimeSource time) {
		try {
			this.meters = registry();
			SequencedMap<String, Store> opening = new LinkedHashMap<>();
			for (String id : REPLICAS) {
				// A gauge shows one store: the second one with its name is refused, and
				// logged.
				ScratchStores.ScratchStore store = stores.open(id, opening.isEmpty() ? this.meters : registry());
				this.open.push(store);
				opening.put(id, store.store());
			}
			SkewJudge judge = new SkewJudge(time, System::nanoTime, MAX_SKEW);
			HybridClock clock = new HybridClock(time, 0, new NoCeiling(), 0);
			ScratchReplicas.Opened opened = replicas.open(opening, clock, judge, this.meters);
			this.open.push(opened);
			Ring ring = Ring.of(REPLICAS.stream().map(Member::of).toList(), REPLICAS.size());
			ScratchCoordinator served = coordinators.of(ring, opened.replicas(), clock, judge, this.meters);
			this.open.push(served);
			ScratchApi.Port listening = api.open(served, this.meters);
			this.open.push(listening);
			this.port = listening.number();
		}
		catch (RuntimeException failure) {
			close();
			throw failure;
		}
	}

	/* Of the class whose meters the node has. */
	private MeterRegistry registry() {
		MeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
		this.open.push(registry::close);
		return registry;
	}

	/** Number of its port for HTTP, on loopback. */
	int port() {
		return this.port;
	}

	/** The meters of its parts, of one store among them. */
	MeterRegistry meters() {
		return this.meters;
	}

	/** Closes all parts, also when one of them cannot be closed. */
	@Override
	public void close() {
		IllegalStateException failed = null;
		while (!this.open.isEmpty()) {
			try {
				this.open.pop().close();
			}
			catch (Exception failure) {
				if (failed == null) {
					failed = new IllegalStateException("a part of the warm-up cannot be closed", failure);
				}
				else {
					failed.addSuppressed(failure);
				}
			}
		}
		if (failed != null) {
			throw failed;
		}
	}

	/** The clock ends with the process, and needs no bound on a disk. */
	private static final class NoCeiling implements ClockCeiling {

		@Override
		public long durableHybrid() {
			return Long.MAX_VALUE;
		}

		@Override
		public CompletableFuture<Void> raiseAbove(long hybrid) {
			return CompletableFuture.completedFuture(null);
		}

	}

}
