package io.quorate.bench;

import java.util.concurrent.TimeUnit;

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
 * The merges that follow from a bulk load. The time of an operation is that of the whole
 * load; what counts is what {@link CompactionProfiler} adds to it.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@NullUnmarked // JMH fills the fields
public class CompactionBenchmark {

	@Param({ "quorate", "rocksdb" })
	public String engine;

	@Param("2000000")
	public int loadRecords;

	private Workspace workspace;

	@Setup(Level.Iteration)
	public void open() throws Exception {
		this.workspace = Workspace.openUnlimited(this.engine);
	}

	@TearDown(Level.Iteration)
	public void close() throws Exception {
		this.workspace.close();
	}

	@Benchmark
	public void merge() throws Exception {
		Engine loaded = this.workspace.load(this.loadRecords).engine();
		loaded.settle();
		CompactionProfiler.last(loaded.merged());
	}

}
