package io.quorate.coordinator;

import java.time.Duration;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.quorate.clock.NoCeiling;
import io.quorate.clock.Deadline;
import io.quorate.clock.HybridClock;
import io.quorate.clock.SkewJudge;
import io.quorate.clock.TimeSource;
import io.quorate.clock.TrueTime;
import io.quorate.entry.Entry;
import io.quorate.repair.HintSink;

/**
 * The coordinator of a node of three, made as a node makes it, over replicas in memory.
 */
final class CoordinatorFixture implements AutoCloseable {

	private static final Consistency CONSISTENCY = new Consistency(2, 3);

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private final MeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

	private final Admission admission = new Admission(1000, 1 << 30, this.meters);

	private final HybridClock clock = new HybridClock(TimeSource.SYSTEM, 7, new NoCeiling(), 0);

	final RingPreferenceLists lists;

	final QuorumCoordinator coordinator;

	CoordinatorFixture(Entry held) {
		this.lists = MemoryReplicas.lists(3, held);
		SkewJudge judge = new SkewJudge(TimeSource.SYSTEM, System::nanoTime, Duration.ofSeconds(60));
		ClusterView clusterView = new ClusterView("n0", () -> this.lists, Suspects.NONE, judge,
				new TrueTime(TimeSource.SYSTEM, System::nanoTime), HintSink.FORGOTTEN);
		this.coordinator = new QuorumCoordinator(this.clock, clusterView, 16 * 1024, this.meters);
	}

	/** The terms of one request, two of three. */
	RequestContext requestContext(int sizeBytes) {
		return new RequestContext(CONSISTENCY, Deadline.after(TIMEOUT), this.admission.admit(sizeBytes),
				new RequestTimeline(System.nanoTime()));
	}

	@Override
	public void close() {
		this.coordinator.close();
	}

}
