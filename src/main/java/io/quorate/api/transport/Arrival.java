package io.quorate.api.transport;

import java.util.concurrent.Future;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.netty.http.server.HttpServerRequest;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;

/**
 * The arrival of requests at this machine, as far as the stalls of the event loop show
 * it: how long what was read last from a connection may have waited in its socket, which
 * its client has felt. The first handler of the pipeline; belongs to the event loop of
 * its connection.
 * <p>
 * Bytes cannot have come before the socket was last seen empty. Nor before the last turns
 * of the loop, if it was asked all the while to look at the socket: the turn after a
 * stall sees the bytes that came in it. A client that does not pipeline sends nothing
 * before it has its answer: the loop may have stood still because of that answer. A new
 * connection may have waited for the loop that accepts, too.
 */
public final class Arrival extends ChannelDuplexHandler {

	/* Long enough for the kernel to report the end of a connection. */
	private static final long LOOK_MILLIS = 3;

	/*
	 * One turn that sees the end of a stall, and one that has looked at all sockets
	 * since.
	 */
	private static final int SETTLED_TURNS = 2;

	private final Stalls.Loop loop;

	private final PipelineGate gate;

	private boolean mayHoldMore;

	private boolean isReading;

	private long readingSinceTurn;

	/* All of these are values of the loop's stalledNanos(). */
	private long emptySince;

	private long answered;

	private long begun;

	private long earliest;

	private long held;

	/**
	 * The handler of a connection that was accepted just now.
	 * @param loop its event loop
	 * @param accepting the loop that has accepted it, for which it may have waited, too
	 * @param gate knows which requests are not answered yet
	 */
	Arrival(Stalls.Loop loop, Stalls.Loop accepting, PipelineGate gate) {
		this.loop = loop;
		this.gate = gate;
		this.emptySince = loop.stalledNanos() - Math.max(lately(loop), lately(accepting));
		this.answered = this.emptySince;
		this.begun = this.emptySince;
		this.earliest = this.emptySince;
		this.held = this.emptySince;
	}

	private static long lately(Stalls.Loop loop) {
		return loop.stalledNanos() - loop.stalledNanosBefore(Stalls.REMEMBERED);
	}

	/** The arrival of a request that is handled just now. */
	public static Arrival of(ServerHttpRequest request) {
		@Nullable Arrival[] found = new Arrival[1];
		HttpServerRequest nettyRequest = ServerHttpRequestDecorator.getNativeRequest(request);
		nettyRequest.withConnection((connection) -> found[0] = connection.channel().pipeline().get(Arrival.class));
		Arrival arrival = found[0];
		if (arrival == null) {
			throw new IllegalStateException("a request is handled that has not arrived");
		}
		return arrival;
	}

	@Override
	public void read(ChannelHandlerContext context) {
		if (!this.isReading) {
			this.isReading = true;
			this.readingSinceTurn = this.loop.turns();
		}
		context.read();
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		long found = this.emptySince;
		long sent = found;
		if (!this.mayHoldMore) {
			boolean isLookedAt = this.isReading && this.loop.turns() - this.readingSinceTurn > SETTLED_TURNS;
			found = isLookedAt ? Math.max(found, this.loop.stalledNanosBefore(SETTLED_TURNS)) : found;
			sent = Math.max(found, this.answered);
		}
		this.isReading = false;
		this.mayHoldMore = message instanceof ByteBuf bytes && !bytes.isWritable();
		this.emptySince = this.mayHoldMore ? found : this.loop.stalledNanos();
		if (this.gate.isOpen()) {
			this.begun = (this.gate.unanswered() == 0) ? found : this.begun;
			this.earliest = sent;
			this.held = sent;
		}
		else if (!this.gate.isHolding()) {
			this.held = found;
		}
		context.fireChannelRead(message);
	}

	/** Notes that all requests that came through the gate have their answers. */
	void answered() {
		// The next one is among what the gate holds, all of which is taken to be as old.
		this.begun = this.held;
		this.earliest = this.held;
		if (!this.gate.hasPipelined()) {
			this.answered = this.loop.stalledNanos();
		}
	}

	/**
	 * Time that the request may have waited for its event loop, in nanoseconds, from the
	 * arrival of its last byte, or of the last that was read: 0 as long as the loop
	 * turns.
	 */
	public long waitedNanos() {
		return this.loop.stalledNanos() - this.earliest;
	}

	/**
	 * Completes, on the event loop, when the loop would have seen that the client has
	 * closed the connection; cancelled by that. Completes at once if the loop has not
	 * stalled since the request began. It counts from the first part, because a part of a
	 * large request may have waited at the client, and only the end of the connection
	 * shows that this client has given up.
	 */
	public Mono<Void> whenClientIsThere() {
		return Mono.defer(() -> (this.loop.stalledNanos() > this.begun) ? looks() : Mono.empty());
	}

	/*
	 * A loop that is busy runs a task that is due before it looks at its sockets. It
	 * looks at them before it runs one that this task has scheduled.
	 */
	private Mono<Void> looks() {
		return Mono.<Void>create(this::look).then(Mono.create(this::look));
	}

	private void look(MonoSink<Void> sink) {
		Future<?> looking = this.loop.schedule(sink::success, LOOK_MILLIS);
		sink.onDispose(() -> looking.cancel(false));
	}

}
