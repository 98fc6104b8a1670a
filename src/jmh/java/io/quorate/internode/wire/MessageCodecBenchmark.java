package io.quorate.internode.wire;

import java.util.concurrent.TimeUnit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.quorate.bench.Samples;
import io.quorate.entry.Entry;
import io.quorate.replica.Origin;
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
 * The messages of a write and of a read between two nodes: to and from the bytes, not
 * further. What is read lies in one buffer outside the heap, as the network leaves it.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@NullUnmarked // JMH fills the fields
public class MessageCodecBenchmark {

	@Param({ "100", "16384" })
	public int valueBytes;

	private Request.Envelope apply;

	private Reply.Envelope found;

	private ByteBuf applyBytes;

	private ByteBuf foundBytes;

	@Setup
	public void fill() {
		Entry entry = Samples.entry(this.valueBytes);
		this.apply = new Request.Envelope(1000, 1, Samples.timestamp(1), null, new Request.Apply(Samples.key(42), entry, Origin.CLIENT));
		this.found = new Reply.Envelope(Samples.timestamp(2), new Reply.Found(entry));
		this.applyBytes = bytes(RequestCodec.encode(this.apply));
		this.foundBytes = bytes(ReplyCodec.encode(this.found));
	}

	private static ByteBuf bytes(Message message) {
		Budget budget = new Budget(message.cost());
		budget.take(message.cost());
		Outgoing outgoing = message.outgoing(PooledByteBufAllocator.DEFAULT, budget);
		try {
			ByteBuf bytes = PooledByteBufAllocator.DEFAULT.directBuffer(message.size());
			ByteBuf large = outgoing.buffer();
			if (large != null) {
				bytes.writeBytes(large.slice());
			}
			else {
				outgoing.copyTo(bytes);
			}
			return bytes;
		}
		finally {
			outgoing.release();
		}
	}

	@TearDown
	public void release() {
		this.applyBytes.release();
		this.foundBytes.release();
	}

	@Benchmark
	public Object encodeApply() {
		return RequestCodec.encode(this.apply);
	}

	@Benchmark
	public Object decodeApply() {
		return RequestCodec.decode(this.applyBytes.readerIndex(0));
	}

	@Benchmark
	public Object encodeFound() {
		return ReplyCodec.encode(this.found);
	}

	@Benchmark
	public Object decodeFound() {
		return ReplyCodec.decode(this.foundBytes.readerIndex(0));
	}

}
