package io.quorate.internode.frame;

import java.util.ArrayList;
import java.util.List;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;

/**
 * A block of copied frames that are written together. The frames themselves are released
 * when the block is written, or cannot be: until then they count against their budgets.
 */
final class FrameBatch implements ChannelFutureListener {

	/* Room for some frames of a write; more only when they come. */
	private static final int FIRST_BYTES = 1024;

	/* The bytes that wait are written with the frame that makes them too many. */
	private static final int MAX_BYTES = FrameConnection.WAITING_BYTES + FrameConnection.LENGTH_BYTES
			+ FrameConnection.COPIED_BYTES;

	private final ByteBuf bytes;

	private final List<ByteBuf> copied = new ArrayList<>();

	/**
	 * An empty block.
	 * @param bytes number of bytes that come first
	 */
	FrameBatch(ByteBufAllocator allocator, int bytes) {
		// A length alone goes before a frame of its own, and no other follows it.
		int first = (bytes == FrameConnection.LENGTH_BYTES) ? bytes : Math.max(bytes, FIRST_BYTES);
		this.bytes = allocator.directBuffer(first, MAX_BYTES);
	}

	/**
	 * Adds a frame behind its length, and takes over the frame's release unless it
	 * throws.
	 */
	void add(ByteBuf frame) {
		int length = frame.readableBytes();
		int begin = this.bytes.writerIndex();
		try {
			this.bytes.writeMedium(length).writeBytes(frame, frame.readerIndex(), length);
			this.copied.add(frame);
		}
		catch (RuntimeException | OutOfMemoryError failure) {
			this.bytes.writerIndex(begin);
			throw failure;
		}
	}

	/** Adds the length of a frame that follows the block. */
	void addLength(int length) {
		this.bytes.writeMedium(length);
	}

	/** Writes the block, which takes no frame any more. */
	void writeTo(Channel channel) {
		var _ = channel.write(this.bytes).addListener(this);
	}

	@Override
	public void operationComplete(ChannelFuture written) {
		this.copied.forEach(ByteBuf::release);
		if (!written.isSuccess()) {
			var _ = written.channel().close();
		}
	}

}
