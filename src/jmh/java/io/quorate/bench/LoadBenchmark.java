package io.quorate.bench;

import java.util.concurrent.TimeUnit;

import io.quorate.storage.StorageProperties.Sync;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;

/**
 * A bulk load in shuffled order, until everything lies in tables and compaction has
 * nothing left to do.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class LoadBenchmark extends BulkLoad {

	@Override
	Workspace newWorkspace(String name) throws Exception {
		return Workspace.open(name, Sync.NEVER);
	}

	@Benchmark
	public void loadAndCompact() throws Exception {
		loaded();
	}

}
