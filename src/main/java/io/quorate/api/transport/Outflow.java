package io.quorate.api.transport;

import java.time.Duration;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.netty.http.server.HttpServerResponse;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;

/**
 * The flow of a long answer to its client. reactor-netty takes 128 buffers ahead of a
 * slow client, whatever their size; a writer that waits for {@link #drained()} between
 * its parts never has more than one part under way.
 * <p>
 * The methods may be called by any thread; they decide on the connection's event loop.
 */
public final class Outflow {

	private static final Logger logger = LoggerFactory.getLogger(Outflow.class);

	/* In which a client need take nothing. */
	static final Duration GRACE = Duration.ofSeconds(5);

	/* After a longer time between two looks it was this node that stood still. */
	private static final long LONGEST_LOOK_NANOS = 1_000_000_000;

	private final Channel channel;

	private final long idleLimitNanos;

	private final LeastRate rate;

	/* Confined to the event loop. */
	private long takenBefore;

	private long takenLast;

	private long lastMoveNanos = System.nanoTime();

	/* Time for which a part of the answer waited for the client. */
	private long waitedNanos;

	private long lastLookNanos = this.lastMoveNanos;

	/**
	 * The outflow of an answer over a connection.
	 * @param idleLimit time for which the client may take no byte that is ready for it
	 */
	Outflow(Channel channel, Duration idleLimit) {
		this.channel = channel;
		this.idleLimitNanos = idleLimit.toNanos();
		this.rate = new LeastRate(GRACE, idleLimit);
		// Before anything of the answer is written.
		if (channel.eventLoop().inEventLoop()) {
			begin();
		}
		else {
			channel.eventLoop().execute(this::begin);
		}
	}

	private void begin() {
		this.takenBefore = WrittenBytes.of(this.channel).taken();
		this.takenLast = this.takenBefore;
	}

	/**
	 * The outflow of an answer of this server.
	 * @param idleLimit time for which the client may take no byte that is ready for it
	 */
	public static Outflow of(ServerHttpResponse response, Duration idleLimit) {
		HttpServerResponse nettyResponse = ServerHttpResponseDecorator.getNativeResponse(response);
		Channel[] channel = new Channel[1];
		nettyResponse.withConnection((connection) -> channel[0] = connection.channel());
		return new Outflow(channel[0], idleLimit);
	}

	/**
	 * Flushes, and completes when the operating system has taken all that was written
	 * before. Starts when subscribed; cancelling only stops the listening. Never fails:
	 * when the connection closes, that cancels the writer.
	 */
	public Mono<Void> drained() {
		return Mono.create((sink) -> this.channel.eventLoop().execute(() -> flush(sink)));
	}

	private void flush(MonoSink<Void> sink) {
		var _ = this.channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener((_) -> sink.success());
	}

	/**
	 * Closes the connection in the middle of the answer: the client sees that the answer
	 * is not whole.
	 */
	public void abort() {
		var _ = this.channel.close();
	}

	/**
	 * Aborts the answer if the client has taken no byte that is ready for it for too
	 * long, or takes it more slowly than the {@link LeastRate}.
	 */
	public void abortIfIdle(long nowNanos) {
		this.channel.eventLoop().execute(() -> {
			if (isIdle(nowNanos)) {
				logger.info("Closed the connection of {}, which took nothing of its answer for {} ms",
						this.channel.remoteAddress(), this.idleLimitNanos / 1_000_000);
				abort();
			}
			else if (isSlow(nowNanos)) {
				logger.info("Closed the connection of {}, which took less than {} bytes a second of its answer",
						this.channel.remoteAddress(), LeastRate.BYTES_PER_SECOND);
				abort();
			}
		});
	}

	/* Only the time counts in which bytes were ready for the client. */
	private boolean isSlow(long nowNanos) {
		WrittenBytes bytes = WrittenBytes.of(this.channel);
		boolean isWaiting = bytes.pending() > 0;
		if (isWaiting) {
			this.waitedNanos += Math.clamp(nowNanos - this.lastLookNanos, 0, LONGEST_LOOK_NANOS);
		}
		this.lastLookNanos = nowNanos;
		return isWaiting && this.rate.isBelow(bytes.taken() - this.takenBefore, this.waitedNanos);
	}

	private boolean isIdle(long nowNanos) {
		WrittenBytes bytes = WrittenBytes.of(this.channel);
		long taken = bytes.taken();
		if (bytes.pending() == 0 || taken != this.takenLast) {
			this.takenLast = taken;
			this.lastMoveNanos = nowNanos;
		}
		return nowNanos - this.lastMoveNanos > this.idleLimitNanos;
	}

	/**
	 * A counter of the bytes that a connection has written, and of those that the
	 * operating system has taken of them. It stands next to the socket, where it counts
	 * an encrypted connection's bytes as they go over the network. Confined to the
	 * connection's event loop.
	 */
	private static final class WrittenBytes extends ChannelOutboundHandlerAdapter {

		private final Channel channel;

		private long written;

		private WrittenBytes(Channel channel) {
			this.channel = channel;
		}

		/** Returns the counter of a connection, which counts from the first call on. */
		static WrittenBytes of(Channel channel) {
			WrittenBytes present = channel.pipeline().get(WrittenBytes.class);
			if (present != null) {
				return present;
			}
			WrittenBytes added = new WrittenBytes(channel);
			added.written = added.pending();
			channel.pipeline().addFirst(added);
			return added;
		}

		@Override
		@SuppressWarnings("deprecation") // Of handlers for outbound messages alone.
		public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
			if (message instanceof ByteBuf bytes) {
				this.written += bytes.readableBytes();
			}
			var _ = context.write(message, promise);
		}

		/** Returns the number of bytes that wait for the client. */
		long pending() {
			@Nullable ChannelOutboundBuffer buffer = this.channel.unsafe().outboundBuffer();
			// A message counts as a whole until all of it is written.
			return (buffer != null) ? buffer.totalPendingWriteBytes() - buffer.currentProgress() : 0;
		}

		/** Returns the number of bytes that the operating system has taken. */
		long taken() {
			return this.written - pending();
		}

	}

}
