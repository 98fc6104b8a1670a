package io.quorate.internode.wiring;

import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.quorate.internode.context.ReplicaSpans;
import io.quorate.meter.TraceContext;

/** Makes the spans of requests of peers by the tracer of this node. */
record TracerSpans(Tracer tracer, String node) implements ReplicaSpans {

	@Override
	public Open begin(TraceContext place, String work) {
		io.micrometer.tracing.TraceContext parent = this.tracer.traceContextBuilder()
			.traceId(place.traceId())
			.spanId(place.parentId())
			.sampled(true)
			.build();
		Span span = this.tracer.spanBuilder()
			.setParent(parent)
			.kind(Span.Kind.SERVER)
			.name("replica " + work)
			.tag("quorate.node", this.node)
			.start();
		return (outcome) -> span.tag("quorate.outcome", outcome).end();
	}

}
