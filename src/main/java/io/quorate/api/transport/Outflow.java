package io.quorate.api.transport;

import java.time.Duration;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.netty.http.server.HttpServerResponse;

import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;

/**
 * How a long answer leaves to its client. reactor-netty takes 128 buffers ahead of a slow
 * client, whatever their size; a writer that waits for {@link #drained()} between its
 * parts never has more than one part under way.
 * <p>
 * The methods may be called by any thread; what they decide, they decide on the
 * connection's event loop.
 */
public final class Outflow {

	private static final Logger logger = LoggerFactory.getLogger(Outflow.class);

	private final Channel channel;

	private final long idleLimitNanos;

	/* Confined to the event loop. */
	private long pendingBytes;

	private long progress;

	private long lastMoveNanos = System.nanoTime();

	private Outflow(Channel channel, Duration idleLimit) {
		this.channel = channel;
		this.idleLimitNanos = idleLimit.toNanos();
	}

	/**
	 * The outflow of an answer of this server.
	 * @param idleLimit how long the client may take nothing of what is ready for it
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
	 * when the connection closes, whoever writes is cancelled by that.
	 */
	public Mono<Void> drained() {
		return Mono.create((sink) -> this.channel.eventLoop().execute(() -> flush(sink)));
	}

	private void flush(MonoSink<Void> sink) {
		var _ = this.channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener((_) -> sink.success());
	}

	/**
	 * Closes the connection in the middle of the answer: the client sees that it is not
	 * whole.
	 */
	public void abort() {
		var _ = this.channel.close();
	}

	/**
	 * Aborts the answer if the client has taken nothing of what is ready for it for too
	 * long.
	 */
	public void abortIfIdle(long nowNanos) {
		this.channel.eventLoop().execute(() -> {
			if (isIdle(nowNanos)) {
				logger.info("Closed the connection of {}, which took nothing of its answer for {} ms",
						this.channel.remoteAddress(), this.idleLimitNanos / 1_000_000);
				abort();
			}
		});
	}

	private boolean isIdle(long nowNanos) {
		@Nullable ChannelOutboundBuffer buffer = this.channel.unsafe().outboundBuffer();
		long nowPending = (buffer != null) ? buffer.totalPendingWriteBytes() : 0;
		long nowProgress = (buffer != null) ? buffer.currentProgress() : 0;
		if (nowPending == 0 || nowPending != this.pendingBytes || nowProgress != this.progress) {
			this.pendingBytes = nowPending;
			this.progress = nowProgress;
			this.lastMoveNanos = nowNanos;
		}
		return nowNanos - this.lastMoveNanos > this.idleLimitNanos;
	}

}
