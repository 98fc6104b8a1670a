package io.quorate.api.transport;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.channel.AbortedException;
import reactor.netty.http.server.HttpServerResponse;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;

/**
 * A body that stops being HTTP in its middle, such as a chunk without a size.
 * reactor-netty answers 400 on its own and then completes the body as if that had been
 * all of it: taken at its word, a part would become the value, although the client has
 * received a refusal.
 */
public final class BrokenBody {

	private BrokenBody() {
	}

	/** The body of a request, which fails where it breaks off. */
	public static Flux<DataBuffer> guarded(ServerHttpRequest request, ServerHttpResponse response) {
		return request.getBody()
			.concatWith(Mono.defer(() -> isAnswered(response)
					? Mono.error(new AbortedException("The body of the request is not well-formed")) : Mono.empty()));
	}

	/** Whether a request has got its answer because its body broke off. */
	public static boolean isAnswered(ServerHttpResponse response) {
		HttpServerResponse nettyResponse = ServerHttpResponseDecorator.getNativeResponse(response);
		return nettyResponse.hasSentHeaders();
	}

}
