package io.quorate.api.transport;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.ScheduledFuture;
import io.quorate.api.problem.Problem;
import org.jspecify.annotations.Nullable;

/**
 * Stands before the handler of TLS until the handshake of its connection has ended: lets
 * it begin when there is a place among the {@link Handshakes}, bounds its time, and
 * answers a client that speaks HTTP without TLS. Belongs to its event loop.
 */
final class HandshakeStart extends ChannelInboundHandlerAdapter {

	/* Waiting for a place included. */
	private static final Duration LIMIT = Duration.ofSeconds(5);

	private static final byte TLS_HANDSHAKE = 0x16;

	private final Handshakes handshakes;

	private final HandshakeLog log;

	private final List<Object> held = new ArrayList<>(1);

	private final Runnable beginning = this::begin;

	private @Nullable ChannelHandlerContext context;

	private @Nullable ScheduledFuture<?> timer;

	private State state = State.NEW;

	private boolean readComplete;

	HandshakeStart(Handshakes handshakes, HandshakeLog log) {
		this.handshakes = handshakes;
		this.log = log;
	}

	@Override
	public void channelActive(ChannelHandlerContext active) {
		this.context = active;
		this.timer = active.executor().schedule(this::expired, LIMIT.toMillis(), TimeUnit.MILLISECONDS);
		active.fireChannelActive();
	}

	private void expired() {
		refuse("timeout", "TLS: no handshake within %d ms".formatted(LIMIT.toMillis()));
		if (this.context != null) {
			var _ = this.context.close();
		}
	}

	@Override
	public void channelRead(ChannelHandlerContext reading, Object message) {
		switch (this.state) {
			case NEW -> first(reading, message);
			case WAITING -> this.held.add(message);
			case RUNNING -> reading.fireChannelRead(message);
			case OVER -> ReferenceCountUtil.release(message);
		}
	}

	private void first(ChannelHandlerContext reading, Object message) {
		if (!(message instanceof ByteBuf bytes) || !bytes.isReadable()) {
			reading.fireChannelRead(message);
			return;
		}
		byte first = bytes.getByte(bytes.readerIndex());
		if (first != TLS_HANDSHAKE) {
			ReferenceCountUtil.release(message);
			plain(reading, first);
			return;
		}
		this.context = reading;
		this.state = State.WAITING;
		this.held.add(message);
		this.handshakes.enter(address(reading), this.beginning);
	}

	private static Object address(ChannelHandlerContext of) {
		return Handshakes.addressOf(of.channel().remoteAddress());
	}

	/** A client that does not know that the port speaks TLS gets an answer in HTTP. */
	private void plain(ChannelHandlerContext reading, byte first) {
		refuse("plain", "it does not speak TLS, and this port does");
		if (Character.isLetter(first)) {
			byte[] document = Problem.badRequest("this port speaks TLS: use https").toJson(null);
			String head = "HTTP/1.1 400 Bad Request\r\nContent-Type: %s\r\nContent-Length: %d\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
				.formatted(Problem.MEDIA_TYPE, document.length);
			reading.channel().attr(LingeringClose.WANTED).set(true);
			var _ = reading.write(Unpooled.wrappedBuffer(head.getBytes(StandardCharsets.US_ASCII)));
			var _ = reading.writeAndFlush(Unpooled.wrappedBuffer(document)).addListener((_) -> {
				var _ = reading.close();
			});
		}
		else {
			var _ = reading.close();
		}
	}

	/*
	 * Never at once: a handshake that fails as it begins would begin the next one within
	 * its own end, and that one the next, until the stack is full.
	 */
	private void begin() {
		ChannelHandlerContext waiting = this.context;
		if (waiting == null) {
			return;
		}
		try {
			waiting.executor().execute(() -> run(waiting));
		}
		catch (RejectedExecutionException stopped) {
			this.handshakes.leave(address(waiting));
		}
	}

	private void run(ChannelHandlerContext waiting) {
		if (this.state != State.WAITING) {
			// It was refused, or has gone, when its turn came.
			this.handshakes.leave(address(waiting));
			return;
		}
		this.state = State.RUNNING;
		List<Object> messages = new ArrayList<>(this.held);
		this.held.clear();
		messages.forEach(waiting::fireChannelRead);
		if (this.readComplete) {
			this.readComplete = false;
			waiting.fireChannelReadComplete();
		}
	}

	/** Nothing more is read while the beginning of the handshake waits. */
	@Override
	public void channelReadComplete(ChannelHandlerContext reading) {
		if (this.state == State.WAITING) {
			this.readComplete = true;
		}
		else {
			reading.fireChannelReadComplete();
		}
	}

	@Override
	public void channelInactive(ChannelHandlerContext inactive) {
		finish();
		inactive.fireChannelInactive();
	}

	/** The handshake has succeeded: what comes later passes. */
	void succeeded() {
		this.log.ended("completed");
		ChannelHandlerContext its = this.context;
		finish();
		if (its != null && !its.isRemoved()) {
			its.pipeline().remove(this);
		}
	}

	/** The handshake has failed; the first reason counts. */
	void refuse(String outcome, String why) {
		if (this.state != State.OVER && this.context != null) {
			this.log.ended(outcome);
			this.log.refused(this.context.channel(), why);
		}
		finish();
	}

	private void finish() {
		if (this.timer != null) {
			this.timer.cancel(false);
		}
		this.held.forEach(ReferenceCountUtil::release);
		this.held.clear();
		State before = this.state;
		this.state = State.OVER;
		ChannelHandlerContext its = this.context;
		if (its == null) {
			return;
		}
		if (before == State.RUNNING) {
			this.handshakes.leave(address(its));
		}
		else if (before == State.WAITING) {
			this.handshakes.giveUp(address(its), this.beginning);
		}
	}

	private enum State {

		NEW, WAITING, RUNNING, OVER

	}

}
