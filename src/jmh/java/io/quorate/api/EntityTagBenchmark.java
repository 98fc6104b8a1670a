package io.quorate.api;

import java.util.concurrent.TimeUnit;

import io.quorate.api.request.EntityTag;
import io.quorate.bench.Samples;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** The text of a timestamp, in its quotes. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class EntityTagBenchmark {

	private long number;

	@Benchmark
	public String text() {
		return EntityTag.of(Samples.timestamp(this.number++));
	}

}
