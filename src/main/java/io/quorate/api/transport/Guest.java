package io.quorate.api.transport;

import java.net.InetAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.ScheduledFuture;
import org.jspecify.annotations.Nullable;

/**
 * One connection of a port for HTTP, as the door of the port sees it. As a handler it
 * stands before the codec until the first byte of the first request, for which it has a
 * time limit. Its event loop writes it, any thread reads it.
 */
final class Guest extends ChannelInboundHandlerAdapter {

	/** Time in which the first byte has to come. */
	static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final long WORKING = Long.MIN_VALUE;

	private final Channel channel;

	private final InetAddress address;

	private final Consumer<Guest> firstAsked;

	private final LongSupplier nanoTime;

	private final long openedNanos;

	private @Nullable ScheduledFuture<?> timer;

	private boolean hasAsked;

	private volatile long restingSince = WORKING;

	/**
	 * A connection that was opened just now.
	 * @param firstAsked receives it when the head of its first request has come
	 * @param nanoTime a clock that never goes back
	 */
	Guest(Channel channel, InetAddress address, Consumer<Guest> firstAsked, LongSupplier nanoTime) {
		this.channel = channel;
		this.address = address;
		this.firstAsked = firstAsked;
		this.nanoTime = nanoTime;
		this.openedNanos = nanoTime.getAsLong();
	}

	@Override
	public void handlerAdded(ChannelHandlerContext context) {
		this.timer = context.executor().schedule(this::close, PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		context.pipeline().remove(this);
		context.fireChannelRead(message);
	}

	@Override
	public void handlerRemoved(ChannelHandlerContext context) {
		if (this.timer != null) {
			this.timer.cancel(false);
		}
	}

	/** The head of a request has come. */
	void asks() {
		if (!this.hasAsked) {
			this.hasAsked = true;
			this.firstAsked.accept(this);
		}
		this.restingSince = WORKING;
	}

	/** All of its requests are answered. */
	void rests() {
		this.restingSince = this.nanoTime.getAsLong();
	}

	/** Time since its last answer, in nanoseconds; negative while it has a request. */
	long restedNanos(long now) {
		long since = this.restingSince;
		return (since != WORKING) ? now - since : -1;
	}

	/** Time since it was opened, in nanoseconds. */
	long openNanos(long now) {
		return now - this.openedNanos;
	}

	InetAddress address() {
		return this.address;
	}

	Channel channel() {
		return this.channel;
	}

	/** Closes the connection. */
	void close() {
		var _ = this.channel.close();
	}

}
