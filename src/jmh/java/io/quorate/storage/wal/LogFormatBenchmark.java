package io.quorate.storage.wal;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

import io.quorate.bench.Samples;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.storage.log.Batches;
import io.quorate.storage.log.LogFormat;
import io.quorate.storage.log.SegmentHeader;
import io.quorate.storage.record.StoredEntry;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** A batch of the log, its checksum included: keys of 16 bytes, values of 100. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@NullUnmarked // JMH fills the fields
public class LogFormatBenchmark {

	@Param({ "1", "8", "64" })
	public int records;

	private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20);

	private final Batches batches = Batches.of(SegmentHeader.begun(1, 0, true), LogFormat.MAX_BATCH);

	private Key[] keys;

	private StoredEntry[] entries;

	@Setup
	public void fill() {
		this.keys = new Key[this.records];
		this.entries = new StoredEntry[this.records];
		for (int i = 0; i < this.records; i++) {
			this.keys[i] = Samples.key(i);
			this.entries[i] = new StoredEntry(i, Samples.timestamp(i), Entry.NEVER, 3,
					new StoredEntry.Inline(Samples.value(100)));
		}
	}

	@Benchmark
	public ByteBuffer batch() {
		this.buffer.clear().position(Batches.HEADER);
		for (int i = 0; i < this.records; i++) {
			LogFormat.writeRecord(this.keys[i], this.entries[i], this.buffer);
		}
		this.batches.finish(this.buffer, 0, this.records, 4096);
		return this.buffer;
	}

}
