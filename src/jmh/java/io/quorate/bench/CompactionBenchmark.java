package io.quorate.bench;

import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;

/**
 * The merges that follow from a bulk load. The time of an operation is that of the whole
 * load; what counts is what {@link CompactionProfiler} adds to it.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class CompactionBenchmark extends BulkLoad {

	@Override
	Workspace newWorkspace(String name) throws Exception {
		return Workspace.openUnlimited(name);
	}

	@Benchmark
	public void merge() throws Exception {
		CompactionProfiler.last(loaded().merged());
	}

}
