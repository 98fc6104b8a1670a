package io.quorate.api.transport;

import org.jspecify.annotations.Nullable;

import org.springframework.http.server.reactive.ServerHttpRequest;

/** What made the target of a request unusable, as {@link RequestLineHandler} found it. */
public final class Flaw {

	private Flaw() {
	}

	/** What is wrong with the target, in words, or {@code null} if nothing is. */
	public static @Nullable String of(ServerHttpRequest request) {
		return request.getHeaders().getFirst(RequestLineHandler.FLAW.toString());
	}

}
