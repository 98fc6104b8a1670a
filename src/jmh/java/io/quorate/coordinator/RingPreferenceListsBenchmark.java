package io.quorate.coordinator;

import java.util.concurrent.TimeUnit;

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

/** The replicas of a key of 16 bytes, and the plan of a request to two of them. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@NullUnmarked // JMH fills the fields
public class RingPreferenceListsBenchmark {

	private static final Consistency CONSISTENCY = new Consistency(2, 3);

	@Param({ "3", "10" })
	public int members;

	private final Key[] keys = Samples.keys(16);

	private int at;

	private RingPreferenceLists lists;

	@Setup
	public void build() {
		this.lists = MemoryReplicas.lists(this.members, Samples.entry(100));
	}

	@Benchmark
	public Object replicasOf() {
		return this.lists.replicasOf(nextKey());
	}

	@Benchmark
	public Object plan() {
		return this.lists.replicasOf(nextKey()).plan(CONSISTENCY);
	}

	private Key nextKey() {
		return this.keys[this.at++ & (Samples.KEYS - 1)];
	}

}
