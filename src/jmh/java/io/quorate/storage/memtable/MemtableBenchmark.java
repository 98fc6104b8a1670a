package io.quorate.storage.memtable;

import java.util.concurrent.TimeUnit;

import io.quorate.bench.Samples;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.storage.record.StoredEntry;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * A memtable of 100,000 keys of 16 bytes, with values of 100, asked and written in
 * shuffled order.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@NullUnmarked // JMH fills the fields
public class MemtableBenchmark {

	private static final int ENTRIES = 100_000;

	private final Key[] keys = new Key[ENTRIES];

	private final StoredEntry.Inline payload = new StoredEntry.Inline(Samples.value(100));

	private Memtable full;

	private int at;

	private long sequence;

	@Setup
	public void fill() {
		int[] numbers = Samples.shuffled(ENTRIES);
		for (int i = 0; i < ENTRIES; i++) {
			this.keys[i] = Samples.key(numbers[i]);
		}
		this.full = insertNew();
	}

	/** From the first to the last key of a new memtable, so the average of all sizes. */
	@Benchmark
	@OperationsPerInvocation(ENTRIES)
	public Memtable insertNew() {
		Memtable memtable = new Memtable(1, MemtableBenchmark::undecided);
		for (Key key : this.keys) {
			memtable.insert(key, next());
		}
		return memtable;
	}

	/** Every key once, after which the memtable would be about full. */
	@Benchmark
	@OperationsPerInvocation(ENTRIES)
	public Object insertOverwriting(Filled filled) {
		for (Key key : this.keys) {
			filled.memtable.insert(key, next());
		}
		return filled.memtable;
	}

	@Benchmark
	public Object get() {
		return this.full.get(nextKey());
	}

	private Key nextKey() {
		Key key = this.keys[this.at];
		this.at = (this.at + 1) % ENTRIES;
		return key;
	}

	private StoredEntry next() {
		this.sequence++;
		return new StoredEntry(this.sequence, Samples.timestamp(this.sequence), Entry.NEVER, 3, this.payload);
	}

	private static int undecided(StoredEntry left, StoredEntry right) {
		throw new IllegalStateException("timestamps differ: %s, %s".formatted(left, right));
	}

	/** What is overwritten stays until the flush, so each invocation has a fresh one. */
	@State(Scope.Thread)
	@NullUnmarked // JMH fills the fields
	public static class Filled {

		private Memtable memtable;

		@Setup(Level.Invocation)
		public void fill(MemtableBenchmark benchmark) {
			this.memtable = benchmark.insertNew();
		}

	}

}
