package io.quorate.internode.frame;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.quorate.internode.wire.Message;
import io.quorate.internode.wire.Outgoing;

/**
 * A block of frames that are written together. Their messages are released when the block
 * is written, or cannot be: until then they count against their budgets.
 */
final class FrameBatch implements ChannelFutureListener {

	/* The bytes that wait are written with the frame that makes them too many. */
	private static final int MAX_BYTES = FrameWriter.WAITING_BYTES + FrameConnection.PREFIX_BYTES
			+ Message.COPIED_BYTES;

	private final ByteBuf bytes;

	private final Backlog backlog;

	private final List<Outgoing> messages = new ArrayList<>();

	/* Part of the backlog. */
	private int cost;

	/**
	 * An empty block.
	 * @param firstBytes bytes for which there is room at once
	 * @param backlog backlog of the connection
	 */
	FrameBatch(ByteBufAllocator allocator, int firstBytes, Backlog backlog) {
		this.bytes = allocator.directBuffer(firstBytes, MAX_BYTES);
		this.backlog = backlog;
	}

	/** Adds a frame, and takes over the message's release unless it throws. */
	void add(int stream, int header, Outgoing message) {
		int begin = this.bytes.writerIndex();
		try {
			addHead(stream, header, message.size());
			message.copyTo(this.bytes);
			this.messages.add(message);
			count(begin);
		}
		catch (RuntimeException | OutOfMemoryError failure) {
			this.bytes.writerIndex(begin);
			throw failure;
		}
	}

	/** Adds the head of a frame, whose body may follow the block. */
	void addHead(int stream, int header, int bodyBytes) {
		this.bytes.ensureWritable(FrameConnection.PREFIX_BYTES)
			.writeMedium(Frame.HEADER_BYTES + bodyBytes)
			.writeInt(stream)
			.writeShort(header);
	}

	/**
	 * Adds a frame that is no message.
	 * @return number of its bytes
	 */
	int add(Consumer<ByteBuf> frame) {
		int begin = this.bytes.writerIndex();
		frame.accept(this.bytes);
		count(begin);
		return this.bytes.writerIndex() - begin;
	}

	private void count(int begin) {
		int more = this.bytes.writerIndex() - begin + Backlog.COST_BESIDES_BYTES;
		this.cost += more;
		this.backlog.add(more);
	}

	/** Writes the block, which takes no frame any more. */
	void writeTo(Channel channel) {
		var _ = channel.write(this.bytes).addListener(this);
	}

	@Override
	public void operationComplete(ChannelFuture written) {
		this.messages.forEach(Outgoing::release);
		this.backlog.remove(this.cost);
		if (!written.isSuccess()) {
			var _ = written.channel().close();
		}
	}

}
