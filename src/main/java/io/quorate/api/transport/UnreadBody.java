package io.quorate.api.transport;

import reactor.netty.http.server.HttpServerResponse;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;

/** A request body that the node is not going to read. */
public final class UnreadBody {

	private UnreadBody() {
	}

	/**
	 * Has the connection closed after the answer instead of reading the body to its end,
	 * gently enough for the client to read the answer.
	 */
	public static void closeAfter(ServerHttpResponse response) {
		response.getHeaders().set(HttpHeaders.CONNECTION, "close");
		HttpServerResponse nettyResponse = ServerHttpResponseDecorator.getNativeResponse(response);
		nettyResponse.withConnection((connection) -> connection.channel().attr(LingeringClose.WANTED).set(true));
	}

}
