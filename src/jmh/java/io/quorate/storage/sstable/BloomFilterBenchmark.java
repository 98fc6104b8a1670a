package io.quorate.storage.sstable;

import java.lang.foreign.Arena;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** The filter of a table of a million keys, asked with their hashes. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@NullUnmarked // JMH fills the fields
public class BloomFilterBenchmark {

	private static final int KEYS = 1 << 20;

	private final Arena arena = Arena.ofShared();

	private final HashList present = new HashList(KEYS);

	private final HashList absent = new HashList(KEYS);

	private BloomFilter filter;

	private int at;

	@Setup
	public void fill() {
		Random random = new Random(7);
		for (int i = 0; i < KEYS; i++) {
			this.present.add(random.nextLong());
			this.absent.add(random.nextLong());
		}
		this.filter = BloomFilter.of(this.present, this.arena);
	}

	@TearDown
	public void close() {
		this.arena.close();
	}

	@Benchmark
	public boolean present() {
		return this.filter.mayContain(this.present.get(this.at++ & (KEYS - 1)));
	}

	@Benchmark
	public boolean absent() {
		return this.filter.mayContain(this.absent.get(this.at++ & (KEYS - 1)));
	}

}
