package io.quorate.internode.frame;

import java.util.function.Consumer;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.quorate.internode.wire.Outgoing;
import org.jspecify.annotations.Nullable;

/**
 * A writer of frames that go to the socket at the end of a turn of the event loop, or
 * before when they are many. Belongs to the event loop of the connection.
 */
final class FrameWriter {

	/**
	 * Bytes that do not wait for the end of a turn. The end may be far when many requests
	 * came in at once, and their peer would receive nothing meanwhile.
	 */
	static final int WAITING_BYTES = 4 * 1024;

	/* Room for some frames of a write; more only when they come. */
	private static final int FIRST_BYTES = 1024;

	private final Channel channel;

	private final Backlog backlog;

	private @Nullable FrameBatch block;

	private long waitingBytes;

	private boolean flushing;

	FrameWriter(Channel channel, Backlog backlog) {
		this.channel = channel;
		this.backlog = backlog;
	}

	/**
	 * Adds a small message in one frame, and takes over its release unless it throws. To
	 * be followed by {@link #endFrame}.
	 */
	void add(int stream, int header, Outgoing message) {
		int bytes = FrameConnection.PREFIX_BYTES + message.size();
		block(bytes).add(stream, header, message);
		this.waitingBytes += bytes;
	}

	/** Adds a frame that is no message. */
	void add(Consumer<ByteBuf> frame) {
		this.waitingBytes += block(FrameConnection.PREFIX_BYTES).add(frame);
		endFrame();
	}

	/** Adds the next part of a large message in a frame of its own. */
	void addPart(int stream, int header, ByteBuf message, int size) {
		blockFrom(FrameConnection.PREFIX_BYTES).addHead(stream, header, size);
		handOver();
		var _ = this.channel.write(message.readRetainedSlice(size)).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
		this.waitingBytes += FrameConnection.PREFIX_BYTES + size;
		endFrame();
	}

	/* A peer that does not read is not to hold more memory than its frames take. */
	private FrameBatch block(int bytes) {
		return blockFrom(this.channel.isWritable() ? Math.max(bytes, FIRST_BYTES) : bytes);
	}

	/*
	 * The head of a part goes before a buffer of its own, and no other frame follows it.
	 */
	private FrameBatch blockFrom(int firstBytes) {
		FrameBatch current = this.block;
		if (current == null) {
			current = new FrameBatch(this.channel.alloc(), firstBytes, this.backlog);
			this.block = current;
		}
		return current;
	}

	/** Hands the frames that wait over to the channel, without a flush. */
	void handOver() {
		FrameBatch full = this.block;
		if (full != null) {
			this.block = null;
			full.writeTo(this.channel);
		}
	}

	/** Sees to it that the frames that wait are flushed. */
	void endFrame() {
		if (this.waitingBytes >= WAITING_BYTES) {
			flush();
		}
		else if (!this.flushing) {
			this.flushing = true;
			this.channel.eventLoop().execute(this::endTurn);
		}
	}

	private void endTurn() {
		this.flushing = false;
		flush();
	}

	private void flush() {
		this.waitingBytes = 0;
		handOver();
		this.channel.flush();
	}

	/** Whether nothing is read of the peer, because it takes no replies. */
	boolean isPaused() {
		return this.backlog.isPaused();
	}

}
