package io.quorate.api.transport;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.util.AsciiString;
import io.quorate.api.problem.Problem;
import org.jspecify.annotations.Nullable;

/**
 * Stands right behind the HTTP codec. Inward it repairs request targets and marks those
 * that it cannot, which Spring would answer without a body; outward it writes a problem
 * document into the bare errors that reactor-netty sends for what is no HTTP at all.
 */
final class RequestLineHandler extends ChannelDuplexHandler {

	/** What is wrong with a target. Removed from what clients send. */
	static final AsciiString FLAW = AsciiString.cached("quorate-internal-flaw");

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		if (message instanceof HttpRequest request) {
			RequestTarget target = RequestTarget.of(request.uri());
			request.headers().remove(FLAW);
			String flaw = (target.flaw() != null) ? target.flaw() : framingFlaw(request.headers());
			if (flaw != null) {
				request.headers().set(FLAW, flaw);
			}
			request.setUri(target.text());
		}
		context.fireChannelRead(message);
	}

	/*
	 * Netty takes the body behind a coding that it does not know for empty, or leaves it
	 * encoded: what would be stored is not what was sent (RFC 9112, 6.1).
	 */
	private static @Nullable String framingFlaw(HttpHeaders headers) {
		boolean understood = !headers.contains(HttpHeaderNames.TRANSFER_ENCODING)
				|| headers.getAll(HttpHeaderNames.TRANSFER_ENCODING)
					.stream()
					.allMatch(HttpHeaderValues.CHUNKED::contentEqualsIgnoreCase);
		return understood ? null : "the only Transfer-Encoding that is understood is chunked";
	}

	@Override
	public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
		if (message instanceof FullHttpResponse response && isBareError(response)) {
			context.channel().attr(LingeringClose.WANTED).set(true);
			var _ = context.write(explained(response), promise);
		}
		else {
			var _ = context.write(message, promise);
		}
	}

	private static boolean isBareError(FullHttpResponse response) {
		return response.status().code() >= 400 && !response.content().isReadable()
				&& "0".equals(response.headers().get(HttpHeaderNames.CONTENT_LENGTH))
				&& !response.headers().contains(HttpHeaderNames.CONTENT_TYPE);
	}

	private static FullHttpResponse explained(FullHttpResponse bare) {
		byte[] document = problem(bare.status().code()).toJson(null);
		FullHttpResponse response = bare.replace(Unpooled.wrappedBuffer(document));
		bare.release();
		HttpHeaders headers = response.headers();
		headers.set(HttpHeaderNames.CONTENT_TYPE, Problem.MEDIA_TYPE);
		headers.set(HttpHeaderNames.CONTENT_LENGTH, document.length);
		headers.set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE);
		headers.set("X-Content-Type-Options", "nosniff");
		return response;
	}

	private static Problem problem(int status) {
		return switch (status) {
			case 414 -> Problem.of("request-line-too-long", status, "URI Too Long",
					"the request line is longer than server.netty.max-initial-line-length");
			case 431 -> Problem.of("headers-too-large", status, "Request Header Fields Too Large",
					"the header fields are larger than server.max-http-request-header-size");
			case 400 -> Problem.badRequest("the request is not well-formed HTTP/1.1");
			default -> (status < 500) ? otherRefusal(status) : Problem.of("internal-error", status,
					"Internal Server Error", "the request could not be answered; the node's log says why");
		};
	}

	private static Problem otherRefusal(int status) {
		return Problem.of("bad-request", status, HttpResponseStatus.valueOf(status).reasonPhrase(),
				"the request cannot be answered as it stands");
	}

}
