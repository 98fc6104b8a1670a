package io.quorate.internode.context;

import io.quorate.meter.TraceContext;

/**
 * The spans of this node's work for requests of peers that belong to a trace. Called on
 * event loops; must neither block nor fail.
 */
@FunctionalInterface
public interface ReplicaSpans {

	/** Makes no spans. */
	ReplicaSpans NONE = (_, _) -> (_) -> {
	};

	/**
	 * Begins the span of a request that has come.
	 * @param place span of the coordinator, below which the new one is
	 * @param work work of the request, in one word
	 */
	Open begin(TraceContext place, String work);

	/** A span that has begun, and ends once. */
	@FunctionalInterface
	interface Open {

		/**
		 * Ends the span.
		 * @param outcome outcome of the request, in one word
		 */
		void end(String outcome);

	}

}
