package io.quorate.api.transport;

import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpVersion;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.http.server.reactive.HttpHandlerDecoratorFactory;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;

/**
 * Writes every answer on the event loop of its connection, whichever thread brings it: a
 * read from a table comes from a thread of the store, an expired deadline from the thread
 * that sweeps.
 * <p>
 * reactor-netty permits other threads, but a client that sends its next request between
 * the last byte of such an answer and the end of its exchange is then never read from
 * again.
 * <p>
 * To a client that does not know chunks, an answer without a length ends with its
 * connection.
 */
public final class AnswerOnEventLoop implements HttpHandlerDecoratorFactory {

	@Override
	public HttpHandler apply(HttpHandler handler) {
		return (request, response) -> handler.handle(request, new OnEventLoop(response, knowsChunks(request)));
	}

	/** Whether the client of a request can read an answer in chunks (RFC 9112, 6.1). */
	public static boolean knowsChunks(ServerHttpRequest request) {
		HttpServerRequest nettyRequest = ServerHttpRequestDecorator.getNativeRequest(request);
		return !nettyRequest.version().equals(HttpVersion.HTTP_1_0);
	}

	private static final class OnEventLoop extends ServerHttpResponseDecorator {

		private final EventLoop loop;

		private final boolean isChunked;

		private OnEventLoop(ServerHttpResponse response, boolean isChunked) {
			super(response);
			this.isChunked = isChunked;
			HttpServerResponse nettyResponse = getNativeResponse(response);
			EventLoop[] found = new EventLoop[1];
			nettyResponse.withConnection((connection) -> found[0] = connection.channel().eventLoop());
			this.loop = found[0];
		}

		@Override
		public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
			delimit();
			return onLoop(super.writeWith(body));
		}

		@Override
		public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> body) {
			delimit();
			return onLoop(super.writeAndFlushWith(body));
		}

		@Override
		public Mono<Void> setComplete() {
			delimit();
			return onLoop(super.setComplete());
		}

		private void delimit() {
			if (!this.isChunked && getHeaders().getContentLength() < 0) {
				HttpServerResponse nettyResponse = getNativeResponse(getDelegate());
				nettyResponse.chunkedTransfer(false);
			}
		}

		private Mono<Void> onLoop(Mono<Void> answer) {
			return Mono
				.defer(() -> this.loop.inEventLoop() ? answer : answer.subscribeOn(Schedulers.fromExecutor(this.loop)));
		}

	}

}
