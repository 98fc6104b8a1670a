package io.quorate.ring;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.quorate.bench.Samples;
import io.quorate.entry.Key;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Which members hold a key of 16 bytes. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@NullUnmarked // JMH fills the fields
public class RingBenchmark {

	@Param({ "3", "10" })
	public int members;

	private final Key[] keys = Samples.keys(16);

	private int at;

	private Ring ring;

	@Setup
	public void build() {
		this.ring = Ring.of(IntStream.range(0, this.members).mapToObj((number) -> Member.of("n" + number)).toList(), 3);
	}

	@Benchmark
	public List<Member> preferenceList() {
		return this.ring.preferenceList(this.keys[this.at++ & (Samples.KEYS - 1)]);
	}

}
