package io.quorate.bench;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.quorate.storage.StorageProperties.Sync;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Reads from tables that have just been opened and of which nothing is in the page cache.
 * So few a time that hardly one finds what another has brought.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@NullUnmarked // JMH fills the fields
public class ColdReadBenchmark {

	static final int READS = 500;

	@Param({ "quorate", "rocksdb" })
	public String engine;

	@Param("2000000")
	public int tableRecords;

	private Workspace workspace;

	@Setup(Level.Trial)
	public void load() throws Exception {
		this.workspace = Workspace.open(this.engine, Sync.NEVER);
		this.workspace.load(this.tableRecords).engine().settle();
	}

	@Setup(Level.Iteration)
	public void forget() throws Exception {
		this.workspace = this.workspace.cold(this.engine, Sync.NEVER);
	}

	@TearDown(Level.Trial)
	public void close() throws Exception {
		this.workspace.close();
	}

	@Benchmark
	public void getHits() throws Exception {
		for (int i = 0; i < READS; i++) {
			int number = ThreadLocalRandom.current().nextInt(this.tableRecords);
			if (this.workspace.engine().get(Records.key(number)) != Records.VALUE_SIZE_BYTES) {
				throw new IllegalStateException("record %d is not what was written".formatted(number));
			}
		}
	}

}
