package io.quorate.api.transport;

import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.AsciiString;
import io.quorate.api.problem.Problem;
import io.quorate.api.problem.ProblemType;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.reactive.ServerHttpRequest;

/**
 * A reason to refuse a request that was found before it was routed. It travels in a
 * header field, because several requests of a connection may be under way; the field is
 * removed from the requests of clients.
 *
 * @param kind the kind of refusal
 * @param detail the fault in words
 */
public record Flaw(Kind kind, String detail) {

	private static final AsciiString FIELD = AsciiString.cached("quorate-internal-flaw");

	/** The kinds of refusals. */
	public enum Kind {

		/** The client may go on over the same connection. */
		TARGET('t', ProblemType.BAD_REQUEST),

		/** The beginning of the next request is not certain. */
		FRAMING('f', ProblemType.BAD_REQUEST),

		/** A page of another host has sent it. */
		ORIGIN('o', ProblemType.CROSS_ORIGIN),

		/** It is meant for another host. */
		HOST('h', ProblemType.MISDIRECTED_REQUEST);

		private final char code;

		private final ProblemType type;

		Kind(char code, ProblemType type) {
			this.code = code;
			this.type = type;
		}

	}

	/** The flaw of a request, or {@code null} if it has none. */
	public static @Nullable Flaw of(ServerHttpRequest request) {
		String text = request.getHeaders().getFirst(FIELD.toString());
		if (text == null) {
			return null;
		}
		for (Kind kind : Kind.values()) {
			if (kind.code == text.charAt(0)) {
				return new Flaw(kind, text.substring(1));
			}
		}
		throw new IllegalStateException(text);
	}

	/** Removes the field from those that a client has sent. */
	static void forget(HttpHeaders headers) {
		headers.remove(FIELD);
	}

	void noteIn(HttpHeaders headers) {
		headers.set(FIELD, this.kind.code + this.detail);
	}

	/** The problem with which the request is refused. */
	public Problem problem() {
		Problem problem = Problem.of(this.kind.type, this.detail);
		return (this.kind == Kind.TARGET) ? problem : problem.withHeader("Connection", "close");
	}

}
