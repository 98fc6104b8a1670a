package io.quorate.storage.sstable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import io.quorate.storage.Compression;
import io.quorate.storage.PageVerification;
import io.quorate.storage.record.StoredEntry;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What a table costs to write, for each entry: what a flush does, with the forces of the
 * disk.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@NullUnmarked // JMH fills the fields
public class TableBuilderBenchmark {

	private static final int ENTRIES = 50_000;

	@Param
	public TableData data;

	@Param
	public Compression compression;

	private final TableFormat format = new MapDbTableFormat(PageVerification.FIRST_TOUCH);

	private StoredEntry[] entries;

	private Path directory;

	@Setup
	public void make() throws IOException {
		this.entries = this.data.entries(ENTRIES);
		this.directory = Files.createTempDirectory("table");
	}

	@TearDown
	public void delete() throws IOException {
		Files.delete(this.directory);
	}

	@Benchmark
	@OperationsPerInvocation(ENTRIES)
	public void write() throws IOException {
		Path file = this.directory.resolve("000001.sst");
		this.data.write(this.format, file, this.entries, this.compression);
		Files.delete(file);
	}

}
