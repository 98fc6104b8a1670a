package io.quorate.entry;

import java.util.concurrent.TimeUnit;

import io.quorate.bench.Samples;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * The order of two keys of 16 bytes, which have ten or more of them in common as those of
 * one application have.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class KeyBenchmark {

	private final Key[] keys = new Key[Samples.KEYS];

	private int at;

	@Setup
	public void fill() {
		int[] numbers = Samples.shuffled(Samples.KEYS);
		for (int i = 0; i < numbers.length; i++) {
			this.keys[i] = Samples.key(numbers[i]);
		}
	}

	@Benchmark
	public int compare() {
		int one = this.at++ & (Samples.KEYS - 1);
		return this.keys[one].compareTo(this.keys[one ^ 1]);
	}

}
