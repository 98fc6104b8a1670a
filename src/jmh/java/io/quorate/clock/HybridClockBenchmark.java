package io.quorate.clock;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.quorate.bench.Samples;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** The calls of the clock by a write and by each message from a peer. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class HybridClockBenchmark {

	private final HybridClock clock = new HybridClock(TimeSource.SYSTEM, 7, new NoCeiling(), 0);

	private final SkewJudge judge = new SkewJudge(TimeSource.SYSTEM, System::nanoTime, Duration.ofSeconds(60));

	private long number;

	@Benchmark
	public @Nullable Object next() {
		return this.clock.tryNow();
	}

	/** Each stamp is later than the one before, so that the clock has to move. */
	@Benchmark
	public void observe() {
		this.clock.observe(Samples.timestamp(this.number++));
	}

	@Benchmark
	public boolean judge() {
		return this.judge.refuses(Samples.timestamp(this.number++));
	}

}
