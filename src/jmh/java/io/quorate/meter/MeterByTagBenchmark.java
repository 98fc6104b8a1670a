package io.quorate.meter;

import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Taking note of a latency, and of a size, in a histogram of a node's registry. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class MeterByTagBenchmark {

	private static final int SAMPLES = 1024;

	private static final TimeUnit[] TAGS = TimeUnit.values();

	private final MeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

	private final MeterByTag<TimeUnit, Timer> timers = new MeterByTag<>(TimeUnit.class,
			(tag) -> Timer.builder("latency")
				.tag("of", MeterByTag.word(tag))
				.serviceLevelObjectives(Buckets.latencies())
				.register(this.registry));

	private final MeterByTag<TimeUnit, DistributionSummary> summaries = new MeterByTag<>(TimeUnit.class,
			(tag) -> DistributionSummary.builder("size")
				.tag("of", MeterByTag.word(tag))
				.serviceLevelObjectives(Buckets.SIZES.stream().mapToDouble(Double::doubleValue).toArray())
				.register(this.registry));

	private int at;

	@Benchmark
	public void latency() {
		this.timers.of(tag()).record(200 + 3_000L * (this.at & (SAMPLES - 1)), TimeUnit.NANOSECONDS);
	}

	@Benchmark
	public void size() {
		this.summaries.of(tag()).record(100 + 64.0 * (this.at & (SAMPLES - 1)));
	}

	private TimeUnit tag() {
		return TAGS[this.at++ & 3];
	}

}
