package io.quorate.api.transport;

import java.util.ArrayDeque;
import java.util.Deque;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.AttributeKey;
import org.jspecify.annotations.Nullable;

/**
 * The {@link Arrival}s of the requests of a connection that are not answered yet, in
 * their order: the first is being handled, the rest are pipelined behind it. Stands in
 * the pipeline where whole messages of HTTP pass.
 */
final class Arrivals extends ChannelDuplexHandler {

	static final AttributeKey<Arrivals> OF_CONNECTION = AttributeKey.valueOf(Arrivals.class, "of-connection");

	private final LoopTurns turns;

	private final SocketWatch socket;

	private final Deque<Arrival> unanswered = new ArrayDeque<>(2);

	private @Nullable Arrival incomplete;

	/** The arrivals of a new connection. */
	Arrivals(LoopTurns turns, SocketWatch socket) {
		this.turns = turns;
		this.socket = socket;
	}

	@Override
	public void handlerAdded(ChannelHandlerContext context) {
		context.channel().attr(OF_CONNECTION).set(this);
	}

	/** The arrival of the request that is being handled. */
	@Nullable Arrival current() {
		return this.unanswered.peek();
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		if (message instanceof HttpRequest) {
			this.incomplete = new Arrival(context.channel(), this.turns, this.socket.earliest(),
					this.socket.earliestBehindAnswer());
			this.unanswered.add(this.incomplete);
		}
		if (message instanceof LastHttpContent && this.incomplete != null) {
			this.incomplete.completed(this.socket.earliestBehindAnswer());
			this.incomplete = null;
		}
		context.fireChannelRead(message);
	}

	@Override
	public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
		boolean isInformational = message instanceof HttpResponse response
				&& response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
		if (message instanceof LastHttpContent && !isInformational) {
			this.unanswered.poll();
			if (this.unanswered.isEmpty() && !isPipelined(context)) {
				this.socket.answered();
			}
		}
		var _ = context.write(message, promise);
	}

	private static boolean isPipelined(ChannelHandlerContext context) {
		PipelineGate gate = context.pipeline().get(PipelineGate.class);
		return gate != null && gate.hasHeld();
	}

}
