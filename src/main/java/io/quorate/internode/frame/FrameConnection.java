package io.quorate.internode.frame;

import java.net.SocketAddress;
import java.util.concurrent.RejectedExecutionException;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.EventLoop;
import io.netty.util.ReferenceCountUtil;
import io.rsocket.DuplexConnection;
import io.rsocket.RSocketErrorException;
import io.rsocket.frame.ErrorFrameCodec;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.Connection;

/**
 * A connection that carries RSocket's frames over TCP, each behind its length in three
 * bytes. Frames of one turn of the event loop are written by one system call, or several
 * when they are many. Small ones are copied into one {@linkplain FrameBatch block}, which
 * costs less than to hand each to the kernel in its own buffers.
 * <p>
 * Frames that are sent on the event loop keep their order. A frame that cannot be written
 * whole ends the connection, because the peer would take the next frame for the rest of
 * this one. Never throws.
 */
public final class FrameConnection implements DuplexConnection {

	private static final Logger log = LoggerFactory.getLogger(FrameConnection.class);

	static final int LENGTH_BYTES = 3;

	/**
	 * Size of the largest frame that is copied; above it a copy costs more than it saves.
	 */
	static final int COPIED_BYTES = 1024;

	/**
	 * Bytes that do not wait for the end of a turn. The end may be far when many requests
	 * came in at once, and their peer would receive nothing meanwhile.
	 */
	static final int WAITING_BYTES = 4 * 1024;

	private final Connection connection;

	private final Channel channel;

	private final EventLoop loop;

	/* Over TLS a peer that does not read keeps the channel open for a while. */
	private volatile boolean closing;

	/* These belong to the event loop. */
	private @Nullable FrameBatch block;

	private long waitingBytes;

	private boolean flushing;

	/** A connection whose frames come in one by one, without their length. */
	public FrameConnection(Connection connection) {
		this.connection = connection;
		this.channel = connection.channel();
		this.loop = this.channel.eventLoop();
	}

	@Override
	public void sendFrame(int streamId, ByteBuf frame) {
		if (this.loop.inEventLoop()) {
			write(frame);
			return;
		}
		try {
			this.loop.execute(() -> write(frame));
		}
		catch (RejectedExecutionException stopped) {
			frame.release();
		}
	}

	private void write(ByteBuf frame) {
		if (isDisposed()) {
			frame.release();
			return;
		}
		int length = frame.readableBytes();
		boolean copied;
		try {
			copied = length <= COPIED_BYTES && this.channel.isWritable();
			if (copied) {
				block(LENGTH_BYTES + length).add(frame);
			}
			else {
				block(LENGTH_BYTES).addLength(length);
			}
		}
		catch (RuntimeException | OutOfMemoryError failure) {
			ReferenceCountUtil.safeRelease(frame);
			broken(failure);
			return;
		}
		if (!copied) {
			handOver();
			var _ = this.channel.write(frame).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
		}
		this.waitingBytes += LENGTH_BYTES + length;
		if (this.waitingBytes < WAITING_BYTES) {
			flushSoon();
		}
		else {
			flush();
		}
	}

	private void broken(Throwable failure) {
		log.warn("The connection with {} is closed: a frame cannot be written: {}", remoteAddress(),
				failure.toString());
		dispose();
		handOver();
	}

	private FrameBatch block(int bytes) {
		FrameBatch current = this.block;
		if (current == null) {
			current = new FrameBatch(alloc(), bytes);
			this.block = current;
		}
		return current;
	}

	private void handOver() {
		FrameBatch full = this.block;
		if (full != null) {
			this.block = null;
			full.writeTo(this.channel);
		}
	}

	private void flushSoon() {
		if (!this.flushing) {
			this.flushing = true;
			this.loop.execute(this::endTurn);
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

	@Override
	public void sendErrorAndClose(RSocketErrorException failure) {
		EventLoops.run(this.loop, () -> {
			try {
				write(ErrorFrameCodec.encode(alloc(), 0, failure));
				flush();
			}
			catch (OutOfMemoryError full) {
				broken(full);
			}
			dispose();
		});
	}

	@Override
	public Flux<ByteBuf> receive() {
		return this.connection.inbound().receive();
	}

	@Override
	public ByteBufAllocator alloc() {
		return this.channel.alloc();
	}

	@Override
	public SocketAddress remoteAddress() {
		return this.channel.remoteAddress();
	}

	@Override
	public Mono<Void> onClose() {
		return this.connection.onDispose();
	}

	@Override
	public void dispose() {
		this.closing = true;
		this.connection.dispose();
	}

	@Override
	public boolean isDisposed() {
		return this.closing || !this.channel.isActive();
	}

	@Override
	public String toString() {
		return "frames on " + this.channel;
	}

}
