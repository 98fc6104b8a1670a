package io.quorate.api.transport;

import java.util.concurrent.TimeUnit;

import io.netty.channel.Channel;
import io.netty.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.netty.http.server.HttpServerRequest;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;

/**
 * The arrival of a request at this machine, as far as the stalls of the event loop show
 * it: the time that the request may have waited before it was seen, which its client has
 * felt. Belongs to the event loop of its connection.
 */
public final class Arrival {

	/* Long enough for the kernel to report the end of a connection. */
	private static final long LOOK_MILLIS = 3;

	private final Channel channel;

	private final LoopTurns turns;

	/* Moment of its first part, also from a client that sends before it is answered. */
	private final long begun;

	private long earliest;

	Arrival(Channel channel, LoopTurns turns, long begun, long earliest) {
		this.channel = channel;
		this.turns = turns;
		this.begun = begun;
		this.earliest = earliest;
	}

	/** The arrival of a request that is handled just now. */
	public static Arrival of(ServerHttpRequest request) {
		Arrival[] found = new Arrival[1];
		HttpServerRequest nettyRequest = ServerHttpRequestDecorator.getNativeRequest(request);
		nettyRequest.withConnection((connection) -> found[0] = current(connection.channel()));
		return found[0];
	}

	private static Arrival current(Channel channel) {
		Arrivals arrivals = channel.attr(Arrivals.OF_CONNECTION).get();
		@Nullable Arrival current = (arrivals != null) ? arrivals.current() : null;
		if (current == null) {
			throw new IllegalStateException("a request is handled that has not arrived");
		}
		return current;
	}

	/** Notes that the last part of the request has come. */
	void completed(long newEarliest) {
		this.earliest = newEarliest;
	}

	/**
	 * Time that the request may have waited for its event loop, in nanoseconds, from the
	 * arrival of its last byte, or of the last that was read: 0 as long as the loop
	 * turns.
	 */
	public long waitedNanos() {
		return this.turns.stalledNanos() - this.earliest;
	}

	/**
	 * Completes, on the event loop, when the loop would have seen that the client has
	 * closed the connection; cancelled by that. Completes at once if the loop has not
	 * stalled since the request began. It counts from the first part, because a part of a
	 * large request may have waited at the client, and only the end of the connection
	 * shows that this client has given up.
	 */
	public Mono<Void> whenClientIsThere() {
		return Mono.defer(() -> (this.turns.stalledNanos() > this.begun) ? looks() : Mono.empty());
	}

	/*
	 * A loop that is busy runs a task that is due before it looks at its sockets. It
	 * looks at them before it runs one that this task has scheduled.
	 */
	private Mono<Void> looks() {
		return Mono.<Void>create(this::look).then(Mono.create(this::look));
	}

	private void look(MonoSink<Void> sink) {
		Future<?> looking = this.channel.eventLoop().schedule(() -> sink.success(), LOOK_MILLIS, TimeUnit.MILLISECONDS);
		sink.onDispose(() -> looking.cancel(false));
	}

}
