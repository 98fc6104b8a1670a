package io.quorate.storage.sstable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.quorate.bench.Samples;
import io.quorate.storage.Compression;
import io.quorate.storage.PageVerification;
import io.quorate.storage.record.StoredEntry;
import org.jspecify.annotations.NullUnmarked;
import org.jspecify.annotations.Nullable;
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
import org.openjdk.jmh.infra.Blackhole;

/**
 * Reads of one table of 200,000 entries in the page cache, in the thread that asks: of a
 * random key, and of 100 in order.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@NullUnmarked // JMH fills the fields
public class TableBenchmark {

	private static final int ENTRIES = 200_000;

	private static final int SCANNED = 100;

	@Param
	public TableData data;

	@Param
	public Compression compression;

	/** Of blocks: nothing, the default, all of them. */
	@Param({ "0", "16", "256" })
	public int cacheMegabytes;

	/** For where keys were found: nothing, the default. */
	@Param({ "0", "8" })
	public int keyMegabytes;

	private Path file;

	private SortedTable table;

	@Setup
	public void write() throws IOException {
		TableFormat format = new MapDbTableFormat(PageVerification.FIRST_TOUCH,
				new KeyCache((long) this.keyMegabytes << 20), new BlockCache((long) this.cacheMegabytes << 20), TableListener.NONE);
		this.file = Files.createTempDirectory("table").resolve("000001.sst");
		StoredEntry[] entries = this.data.entries(ENTRIES);
		long sizeBytes = this.data.write(format, this.file, entries, this.compression);
		this.table = format.open(this.file);
		for (int i = 0; i < ENTRIES; i++) {
			this.table.get(Samples.key(i));
		}
		report(sizeBytes);
	}

	@SuppressWarnings("SystemOut") // JMH has no place for it
	private void report(long sizeBytes) {
		System.err.printf("size of the table, %s %s: %d%n", this.data, this.compression, sizeBytes);
	}

	@TearDown
	public void delete() throws IOException {
		this.table.close();
		Files.delete(this.file);
		Files.delete(this.file.getParent());
	}

	@Benchmark
	public @Nullable StoredEntry get() {
		return this.table.get(Samples.key(ThreadLocalRandom.current().nextInt(ENTRIES)));
	}

	@Benchmark
	@OperationsPerInvocation(SCANNED)
	public void scan(Blackhole hole) {
		TableCursor cursor = this.table.cursor(Samples.key(ThreadLocalRandom.current().nextInt(ENTRIES - SCANNED)));
		for (int i = 0; i < SCANNED; i++) {
			hole.consume(cursor.next());
		}
	}

}
