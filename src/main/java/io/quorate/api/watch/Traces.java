package io.quorate.api.watch;

import io.quorate.api.request.ClientRequest;
import io.quorate.api.request.Operation;
import io.quorate.api.request.Outcome;
import io.quorate.meter.TraceContext;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.reactive.ServerHttpRequest;

/** The traces of requests. */
interface Traces {

	/** Makes no trace, and passes on those that clients have begun. */
	Traces NONE = (request, _) -> Passed.of(TraceParent.of(request.getHeaders()));

	/**
	 * Begins the trace of a request that has come; returns {@code null} if it has none.
	 * @param operation its operation, {@code null} for one that is not measured
	 */
	@Nullable Trace begin(ServerHttpRequest request, @Nullable Operation operation);

	/** A request in its trace. */
	interface Trace {

		/** The place in the trace that the answer names. */
		TraceParent parent();

		/**
		 * The place below which replicas add spans of theirs, {@code null} if they add
		 * none.
		 */
		@Nullable TraceContext place();

		/** Notes that the request has ended, and its timeline is closed. */
		void ended(ClientRequest request, Outcome outcome);

	}

	/** A trace to which this node adds nothing. */
	record Passed(TraceParent parent) implements Trace {

		private static @Nullable Passed of(@Nullable TraceParent sent) {
			return (sent != null) ? new Passed(sent) : null;
		}

		@Override
		public @Nullable TraceContext place() {
			return null;
		}

		@Override
		public void ended(ClientRequest request, Outcome outcome) {
			// There is nothing that ends.
		}

	}

}
