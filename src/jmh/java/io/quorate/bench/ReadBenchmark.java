package io.quorate.bench;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.quorate.storage.StorageProperties.Sync;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Reads from memory (few records, never flushed) and from tables (many records, flushed
 * and compacted; the files are in the page cache).
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@NullUnmarked // JMH fills the fields
public class ReadBenchmark {

	@Param({ "quorate", "rocksdb" })
	public String engine;

	/** Place of the data. */
	@Param({ "MEMORY", "TABLES" })
	public Place place;

	@Param("1000000")
	public int tableRecords;

	private Workspace workspace;

	private int records;

	@Setup
	public void load() throws Exception {
		this.workspace = Workspace.open(this.engine, Sync.NEVER);
		this.records = (this.place == Place.MEMORY) ? 50_000 : this.tableRecords;
		this.workspace.load(this.records);
		if (this.place == Place.TABLES) {
			this.workspace.engine().settle();
		}
	}

	@TearDown
	public void close() throws Exception {
		this.workspace.close();
	}

	@Benchmark
	public int getHit() throws Exception {
		return require(Records.VALUE_SIZE_BYTES, this.workspace.engine().get(Records.key(random())));
	}

	@Benchmark
	public int getMiss() throws Exception {
		return require(-1, this.workspace.engine().get(Records.missingKey(random())));
	}

	@Benchmark
	public int scan100() throws Exception {
		int start = ThreadLocalRandom.current().nextInt(this.records - 100);
		return require(100, this.workspace.engine().scan(Records.key(start), 100));
	}

	@Benchmark
	public int scanAll() throws Exception {
		return require(this.records, this.workspace.engine().scan(Records.key(0), Integer.MAX_VALUE));
	}

	private int random() {
		return ThreadLocalRandom.current().nextInt(this.records);
	}

	private static int require(int expected, int actual) {
		if (expected != actual) {
			throw new IllegalStateException("expected %d, found %d".formatted(expected, actual));
		}
		return actual;
	}

	/** The places where the data lies. */
	public enum Place {

		/** In the memtable. */
		MEMORY,

		/** In tables, in the page cache. */
		TABLES

	}

}
