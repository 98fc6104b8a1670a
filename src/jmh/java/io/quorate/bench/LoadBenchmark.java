package io.quorate.bench;

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
 * A bulk load in shuffled order, until everything lies in tables and compaction has
 * nothing left to do.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@NullUnmarked // JMH fills the fields
public class LoadBenchmark {

	@Param({ "quorate", "rocksdb" })
	public String engine;

	@Param("2000000")
	public int loadRecords;

	private Workspace workspace;

	@Setup(Level.Iteration)
	public void open() throws Exception {
		this.workspace = Workspace.open(this.engine, Sync.NEVER);
	}

	@TearDown(Level.Iteration)
	public void close() throws Exception {
		this.workspace.close();
	}

	@Benchmark
	public void loadAndCompact() throws Exception {
		this.workspace.load(this.loadRecords).engine().settle();
	}

}
