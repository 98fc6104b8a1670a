package io.quorate.api.transport;

import java.util.ArrayDeque;
import java.util.Deque;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import org.jspecify.annotations.Nullable;

/**
 * The gate before the codec of a connection: it lets in the bytes of some dozens of
 * pipelined requests, and more when those are answered. Until then it holds what one read
 * has brought, and nothing more is read, so that TCP slows the client down: a pipeline of
 * any depth costs the memory of a short one. Confined to the event loop of its
 * connection.
 */
final class PipelineGate extends ChannelDuplexHandler {

	/* At most 73 requests, of which the shortest has 14 bytes; the codec takes 128. */
	private static final int LEAST_BYTES = 1024;

	/* At most 64 requests: each has a request line and an empty one. */
	private static final int MOST_LINES = 128;

	private final Deque<ByteBuf> held = new ArrayDeque<>(2);

	private @Nullable ChannelHandlerContext context;

	private int unanswered;

	private boolean isInRequest;

	private boolean isPipelined;

	private int settling;

	private boolean isReadWanted;

	private boolean isAutoReadPaused;

	private boolean isShut;

	private boolean hasPipelined;

	@Override
	public void handlerAdded(ChannelHandlerContext added) {
		this.context = added;
	}

	/** Number of requests that have come through and are not answered yet. */
	int unanswered() {
		return this.unanswered;
	}

	/** Whether nothing waits here, nor what comes now for an answer. */
	boolean isOpen() {
		return !isHolding() && isNextDue();
	}

	/** Whether bytes wait here. */
	boolean isHolding() {
		return !this.held.isEmpty();
	}

	/** Whether the client has ever sent a request before it had its answers. */
	boolean hasPipelined() {
		return this.hasPipelined;
	}

	/** The head of a request has come through. */
	void begins() {
		this.unanswered++;
		this.isPipelined |= this.unanswered > 1;
		this.hasPipelined |= this.isPipelined;
		this.isInRequest = true;
	}

	/** The last part of the latest request has come through. */
	void isWhole() {
		this.isInRequest = false;
	}

	/** The last part of the answer to the earliest request is written. */
	void answered() {
		this.unanswered--;
		if (isNextDue() && (this.isPipelined || !this.held.isEmpty())) {
			settle();
		}
	}

	/*
	 * At the end of a request that it had queued, reactor-netty leaves a task that begins
	 * the next one in its queue. A request that came before that task would be begun
	 * beside another one, and one of them lose its answer.
	 */
	private void settle() {
		ChannelHandlerContext to = this.context;
		if (to != null) {
			this.settling++;
			to.executor().execute(() -> to.executor().execute(() -> settled(to)));
		}
	}

	private void settled(ChannelHandlerContext to) {
		this.settling--;
		this.isPipelined &= this.unanswered > 0;
		if (!this.held.isEmpty() && mayPour()) {
			pour(to);
			to.fireChannelReadComplete();
		}
		else if (this.unanswered == 0) {
			// reactor-netty does not ask for it behind the last request of its queue.
			this.isReadWanted = true;
			readIfWanted();
		}
	}

	/** Throws away what comes from now on: it will not be answered. */
	void shut() {
		this.isShut = true;
		while (!this.held.isEmpty()) {
			this.held.remove().release();
		}
		readIfWanted();
	}

	@Override
	public void channelRead(ChannelHandlerContext from, Object message) {
		if (!(message instanceof ByteBuf bytes)) {
			from.fireChannelRead(message);
			return;
		}
		if (this.isShut) {
			bytes.release();
			return;
		}
		this.held.add(bytes);
		pour(from);
		this.hasPipelined |= !this.held.isEmpty();
		if (!this.held.isEmpty() && from.channel().config().isAutoRead()) {
			// Ends this turn of reads, of which each would be held.
			this.isAutoReadPaused = true;
			this.isReadWanted = true;
			from.channel().config().setAutoRead(false);
		}
	}

	@Override
	public void channelReadComplete(ChannelHandlerContext from) {
		from.fireChannelReadComplete();
		if (this.isAutoReadPaused) {
			this.isAutoReadPaused = false;
			from.channel().config().setAutoRead(true);
		}
	}

	@Override
	public void read(ChannelHandlerContext from) {
		if (this.held.isEmpty()) {
			from.read();
		}
		else {
			this.isReadWanted = true;
		}
	}

	private void readIfWanted() {
		if (this.isReadWanted && this.held.isEmpty() && this.context != null) {
			this.isReadWanted = false;
			this.context.read();
		}
	}

	/* Requests behind one that is not answered wait here, and their bodies with them. */
	private boolean isNextDue() {
		return this.unanswered == 0 || (this.unanswered == 1 && this.isInRequest);
	}

	private boolean mayPour() {
		return this.settling == 0 && isNextDue();
	}

	private void pour(ChannelHandlerContext to) {
		while (!this.held.isEmpty() && mayPour()) {
			to.fireChannelRead(next(this.held.element()));
		}
		readIfWanted();
	}

	private ByteBuf next(ByteBuf first) {
		int size = sizeOfNext(first);
		return (size < first.readableBytes()) ? first.readRetainedSlice(size) : this.held.remove();
	}

	private static int sizeOfNext(ByteBuf bytes) {
		int readable = bytes.readableBytes();
		int at = bytes.readerIndex();
		for (int lines = 0; lines < MOST_LINES && readable > LEAST_BYTES; lines++) {
			int end = bytes.indexOf(at, bytes.writerIndex(), (byte) '\n');
			if (end < 0) {
				return readable;
			}
			at = end + 1;
		}
		return Math.min(readable, Math.max(LEAST_BYTES, at - bytes.readerIndex()));
	}

	@Override
	public void close(ChannelHandlerContext to, ChannelPromise promise) {
		if (!this.held.isEmpty()) {
			// The client is still sending.
			to.channel().attr(LingeringClose.WANTED).set(true);
		}
		shut();
		var _ = to.close(promise);
	}

	@Override
	public void channelInactive(ChannelHandlerContext from) {
		shut();
		from.fireChannelInactive();
	}

	@Override
	public void handlerRemoved(ChannelHandlerContext removed) {
		shut();
	}

}
