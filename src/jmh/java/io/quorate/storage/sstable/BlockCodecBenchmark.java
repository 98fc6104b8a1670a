package io.quorate.storage.sstable;

import java.io.ByteArrayOutputStream;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import io.quorate.storage.Compression;
import net.jpountz.lz4.LZ4Factory;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** One block of 2.6 KiB of JSON, packed and unpacked. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@NullUnmarked // JMH fills the fields
public class BlockCodecBenchmark {

	private static final int RECORDS = 13;

	@Param
	public Library library;

	private BlockCodec codec;

	private byte[] block;

	private byte[] packed;

	private int packedSize;

	@Setup
	public void make() {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		for (int i = 0; i < RECORDS; i++) {
			bytes.writeBytes(TableData.JSON.value(i));
		}
		this.block = bytes.toByteArray();
		this.codec = switch (this.library) {
			case LZ4_NATIVE -> Objects.requireNonNull(BlockCodec.of(Compression.LZ4));
			case LZ4_JAVA -> new Lz4Codec(LZ4Factory.safeInstance());
			case ZSTD -> Objects.requireNonNull(BlockCodec.of(Compression.ZSTD));
		};
		this.packed = new byte[this.codec.maxPackedSize(this.block.length)];
		this.packedSize = pack();
	}

	@Benchmark
	public int pack() {
		return this.codec.pack(this.block, 0, this.block.length, this.packed);
	}

	@Benchmark
	public byte[] unpack() {
		byte[] to = new byte[this.block.length];
		this.codec.unpack(this.packed, this.packedSize, to, to.length);
		return to;
	}

	/** The implementation of the codec. */
	public enum Library {

		LZ4_NATIVE, LZ4_JAVA, ZSTD

	}

}
