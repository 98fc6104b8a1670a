package io.quorate.entry;

import java.util.concurrent.TimeUnit;

import io.quorate.bench.Samples;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The hash of a key. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@NullUnmarked // JMH fills the fields
public class Hash64Benchmark {

	@Param({ "16", "256" })
	public int keyBytes;

	private Key[] keys;

	private int at;

	@Setup
	public void fill() {
		this.keys = Samples.keys(this.keyBytes);
	}

	@Benchmark
	public long hash() {
		return this.keys[this.at++ & (Samples.KEYS - 1)].hash64();
	}

}
