package io.quorate.api;

import org.jspecify.annotations.Nullable;

import org.springframework.http.server.reactive.ServerHttpRequest;

/** What is done about the traces of requests. */
interface Traces {

	/** Makes none, and lets those go on that clients have begun. */
	Traces NONE = (request, _) -> Passed.of(TraceParent.of(request.getHeaders()));

	/**
	 * The trace of a request that has come, {@code null} if it has none.
	 * @param operation what it asks for, {@code null} for nothing that is measured
	 */
	@Nullable Trace begin(ServerHttpRequest request, @Nullable Operation operation);

	/** A request in its trace. */
	interface Trace {

		/** What its answer is to say of it. */
		TraceParent parent();

		/** The request has ended, and its trail is closed. */
		void ended(ClientRequest request, Outcome outcome);

	}

	/** A trace that nothing is added to here. */
	record Passed(TraceParent parent) implements Trace {

		private static @Nullable Passed of(@Nullable TraceParent sent) {
			return (sent != null) ? new Passed(sent) : null;
		}

		@Override
		public void ended(ClientRequest request, Outcome outcome) {
			// There is nothing that ends.
		}

	}

}
