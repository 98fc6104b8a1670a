package io.quorate.bench;

import java.util.Collection;
import java.util.List;

import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/** Adds to the result of {@link CompactionBenchmark} how fast merges have written. */
public final class CompactionProfiler implements InternalProfiler {

	static final String WRITTEN = "merged";

	private static volatile double last;

	/** What was merged since the iteration began. */
	static void last(Merged merged) {
		last = merged.mebibytesPerSecond();
	}

	@Override
	public String getDescription() {
		return "MiB that merges wrote in a second in which one was under way";
	}

	@Override
	public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
		last = Double.NaN;
	}

	@Override
	public Collection<? extends Result<?>> afterIteration(BenchmarkParams benchmark, IterationParams iteration,
			IterationResult result) {
		return List.of(new ScalarResult(WRITTEN, last, "MiB/s", AggregationPolicy.AVG));
	}

	/**
	 * The work that merges have done.
	 *
	 * @param writtenBytes to tables
	 * @param seconds that they took, one after the other
	 */
	record Merged(double writtenBytes, double seconds) {

		double mebibytesPerSecond() {
			return this.writtenBytes / (1 << 20) / this.seconds;
		}

	}

}
