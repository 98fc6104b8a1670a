package io.quorate.api.transport;

import java.util.function.BooleanSupplier;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/**
 * Closes a connection after the answer to the request that asked for it. reactor-netty
 * closes after the answer under way when it reads that request, and loses the answers to
 * all requests that were pipelined behind it. So the wish is hidden from it while other
 * requests are still to be answered. When clients should go elsewhere, the last answer of
 * a connection closes it, too.
 */
final class PipelinedClose extends ChannelDuplexHandler {

	private final BooleanSupplier departing;

	private final PipelineGate gate;

	private @Nullable Guest guest;

	private @Nullable Arrival arrival;

	private boolean last;

	private boolean dropping;

	/**
	 * The handler of a new connection.
	 * @param departing whether clients should go elsewhere
	 * @param gate learns which requests come through, and which are answered
	 */
	PipelinedClose(BooleanSupplier departing, PipelineGate gate) {
		this.departing = departing;
		this.gate = gate;
	}

	/** Tells it of the requests, and when they are answered. */
	void of(Guest its) {
		this.guest = its;
	}

	/** Tells it when all requests are answered. */
	void of(Arrival its) {
		this.arrival = its;
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		if (message instanceof HttpRequest request) {
			begin(request, context);
		}
		if (this.dropping) {
			ReferenceCountUtil.release(message);
		}
		else {
			if (message instanceof LastHttpContent) {
				this.gate.isWhole();
			}
			context.fireChannelRead(message);
		}
	}

	private void begin(HttpRequest request, ChannelHandlerContext context) {
		if (this.last) {
			this.dropping = true;
			// The client may still be sending, and has not read all answers.
			context.channel().attr(LingeringClose.WANTED).set(true);
			this.gate.shut();
			return;
		}
		if (this.gate.unanswered() > 0 && !HttpUtil.isKeepAlive(request)) {
			this.last = true;
			HttpUtil.setKeepAlive(request, true);
		}
		this.gate.begins();
		if (this.guest != null) {
			this.guest.asks();
		}
	}

	@Override
	public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
		if (message instanceof HttpResponse response) {
			if (response.status().codeClass() == HttpStatusClass.INFORMATIONAL) {
				var _ = context.write(message, promise);
				return;
			}
			this.last |= this.gate.unanswered() == 1 && this.departing.getAsBoolean();
			if (isLastAnswer()) {
				HttpUtil.setKeepAlive(response, false);
			}
		}
		boolean closing = isLastAnswer();
		if (message instanceof LastHttpContent) {
			this.gate.answered();
			if (this.gate.unanswered() == 0) {
				rests();
			}
			if (closing) {
				var _ = context.write(message, promise.unvoid()).addListener(ChannelFutureListener.CLOSE);
				return;
			}
		}
		var _ = context.write(message, promise);
	}

	private void rests() {
		if (this.guest != null) {
			this.guest.rests();
		}
		if (this.arrival != null) {
			this.arrival.answered();
		}
	}

	private boolean isLastAnswer() {
		return this.last && this.gate.unanswered() == 1;
	}

}
