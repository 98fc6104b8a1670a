package io.quorate.api.transport;

import java.util.Iterator;
import java.util.List;
import java.util.Set;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.AsciiString;
import io.quorate.api.problem.Problem;
import io.quorate.api.problem.ProblemType;
import io.quorate.api.transport.Flaw.Kind;
import org.jspecify.annotations.Nullable;

/**
 * The handler right behind the HTTP codec. Inward it repairs request targets, and marks
 * those that it cannot repair, which Spring would answer without a body. It also marks
 * requests that are ambiguous or that a web page of another origin may have sent. Outward
 * it writes a problem document into the bare errors that reactor-netty sends for bytes
 * that are no HTTP at all.
 */
final class RequestLineHandler extends ChannelDuplexHandler {

	/* Those that this node takes apart; each part costs more than its bytes. */
	private static final List<AsciiString> LISTS = List.of(HttpHeaderNames.ACCEPT, HttpHeaderNames.ACCEPT_ENCODING,
			HttpHeaderNames.CONTENT_TYPE, HttpHeaderNames.IF_MATCH, HttpHeaderNames.IF_NONE_MATCH,
			HttpHeaderNames.RANGE);

	/* Browsers and proxies together send some dozens. */
	private static final int MOST_FIELDS = 128;

	/* A browser sends a dozen. */
	private static final int MOST_PARTS = 128;

	private static final String TWO_HOSTS = "there must be one Host field";

	private static final String ANOTHER_ORIGIN = "a page of another origin has this request sent";

	private static final AsciiString FETCH_SITE = AsciiString.cached("sec-fetch-site");

	private static final AsciiString FETCH_DEST = AsciiString.cached("sec-fetch-dest");

	/* Pages for people, to which pages of others may link. */
	private static final Set<String> LINKED = Set.of("/", "/v0/docs");

	private final Door door;

	/** The handler of a new connection. */
	RequestLineHandler(Door door) {
		this.door = door;
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		if (message instanceof HttpRequest request) {
			RequestTarget target = RequestTarget.of(request.uri());
			Flaw.forget(request.headers());
			Flaw flaw = versionFlaw(request);
			if (flaw == null) {
				flaw = flaw(request);
			}
			if (flaw != null) {
				this.door.refused(context.channel(), flaw.detail());
			}
			else {
				String wrong = (target.flaw() != null) ? target.flaw() : excess(request.headers());
				flaw = (wrong != null) ? new Flaw(Kind.TARGET, wrong) : null;
			}
			if (flaw != null) {
				flaw.noteIn(request.headers());
			}
			request.setUri(target.text());
		}
		context.fireChannelRead(message);
	}

	/*
	 * A later minor version is one that its client also speaks as 1.1, in which it is
	 * answered (RFC 9110, 2.5).
	 */
	private static @Nullable Flaw versionFlaw(HttpRequest request) {
		HttpVersion version = request.protocolVersion();
		if (version.majorVersion() == 1 && version.minorVersion() <= 1) {
			return null;
		}
		request.setProtocolVersion(HttpVersion.HTTP_1_1);
		return (version.majorVersion() == 1) ? null
				: new Flaw(Kind.FRAMING, "this node speaks HTTP/1.1 and HTTP/1.0 only");
	}

	private static @Nullable String excess(HttpHeaders headers) {
		if (headers.size() > MOST_FIELDS) {
			return "there are more than %d header fields".formatted(MOST_FIELDS);
		}
		for (AsciiString field : LISTS) {
			int parts = 0;
			Iterator<String> values = headers.valueStringIterator(field);
			while (values.hasNext()) {
				parts += parts(values.next());
			}
			if (parts > MOST_PARTS) {
				return "field %s has more than %d elements and parameters".formatted(field, MOST_PARTS);
			}
		}
		return null;
	}

	private static int parts(String value) {
		int parts = 1;
		for (int at = 0; at < value.length(); at++) {
			char c = value.charAt(at);
			parts += (c == ',' || c == ';') ? 1 : 0;
		}
		return parts;
	}

	private @Nullable Flaw flaw(HttpRequest request) {
		HttpHeaders headers = request.headers();
		if (headers.contains(HttpHeaderNames.TRANSFER_ENCODING)) {
			String framing = framingFlaw(request);
			if (framing != null) {
				return new Flaw(Kind.FRAMING, framing);
			}
		}
		String host = null;
		Iterator<String> hosts = headers.valueStringIterator(HttpHeaderNames.HOST);
		while (hosts.hasNext()) {
			if (host != null) {
				return new Flaw(Kind.FRAMING, TWO_HOSTS);
			}
			host = hosts.next();
		}
		if (host == null && request.protocolVersion().equals(HttpVersion.HTTP_1_1)) {
			return new Flaw(Kind.FRAMING, TWO_HOSTS);
		}
		if (headers.contains(HttpHeaderNames.ORIGIN)) {
			for (String origin : headers.getAll(HttpHeaderNames.ORIGIN)) {
				if (!HostField.isOf(origin, host, this.door.isEncrypted())) {
					return new Flaw(Kind.ORIGIN, ANOTHER_ORIGIN);
				}
			}
		}
		if (isOfOtherSite(headers) && !isVisit(request)) {
			return new Flaw(Kind.ORIGIN, ANOTHER_ORIGIN);
		}
		return (host != null && !this.door.admits(host))
				? new Flaw(Kind.HOST, "this node is not reached by the host of this request") : null;
	}

	/* A browser says so also of what it sends without Origin, such as for a picture. */
	private static boolean isOfOtherSite(HttpHeaders headers) {
		for (String site : headers.getAll(FETCH_SITE)) {
			if (!site.equals("none") && !site.equals("same-origin")) {
				return true;
			}
		}
		return false;
	}

	private static boolean isVisit(HttpRequest request) {
		return HttpMethod.GET.equals(request.method()) && "document".equals(request.headers().get(FETCH_DEST))
				&& LINKED.contains(request.uri());
	}

	/*
	 * Netty takes the body behind a coding that it does not know for empty, or leaves it
	 * encoded: the stored value would not be the one that was sent (RFC 9112, 6.1). Two
	 * fields, or a length besides, are read in two ways by two servers.
	 */
	private static @Nullable String framingFlaw(HttpRequest request) {
		List<String> codings = request.headers().getAll(HttpHeaderNames.TRANSFER_ENCODING);
		if (codings.size() != 1 || !HttpHeaderValues.CHUNKED.contentEqualsIgnoreCase(codings.getFirst())) {
			return "the only Transfer-Encoding that is understood is chunked, once";
		}
		if (request.headers().contains(HttpHeaderNames.CONTENT_LENGTH)) {
			return "a body has a Transfer-Encoding or a Content-Length, not both";
		}
		return request.protocolVersion().equals(HttpVersion.HTTP_1_1) ? null
				: "there is no Transfer-Encoding in HTTP/1.0";
	}

	@Override
	public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
		if (message instanceof FullHttpResponse response && isBareError(response)) {
			context.channel().attr(LingeringClose.WANTED).set(true);
			this.door.refused(context.channel(), "answered by " + response.status().code() + " before it was read");
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
			case 414 -> Problem.of(ProblemType.REQUEST_LINE_TOO_LONG,
					"the request line is longer than server.netty.max-initial-line-length");
			case 431 -> Problem.of(ProblemType.HEADERS_TOO_LARGE,
					"the header fields are larger than server.max-http-request-header-size");
			case 400 -> Problem.badRequest("the request is not well-formed HTTP/1.1");
			default -> other(status).withStatus(status);
		};
	}

	private static Problem other(int status) {
		return (status < 500) ? Problem.badRequest("the request cannot be answered as it stands")
				: Problem.of(ProblemType.INTERNAL_ERROR, "the request could not be answered; the node's log says why");
	}

}
