package io.quorate.api.watch;

import java.util.concurrent.TimeUnit;

import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import io.quorate.api.request.ClientRequest;
import io.quorate.api.request.Operation;
import io.quorate.api.request.Outcome;
import io.quorate.api.transport.EntityPath;
import io.quorate.clock.TimeSource;
import io.quorate.coordinator.Consistency;
import io.quorate.coordinator.RequestTimeline.Hop;
import io.quorate.coordinator.RequestTimeline.Stage;
import io.quorate.coordinator.RequestTimeline;
import io.quorate.entry.Key;
import io.quorate.meter.MeterByTag;
import io.quorate.meter.TraceContext;
import io.quorate.security.LoggedKey;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;

/**
 * Makes a span for each request that is sampled. The spans below it, of the stages and
 * the replicas that were asked, are made of the request's timeline when it has ended:
 * until then a trace costs nothing more than its beginning.
 */
final class SpanTraces implements Traces {

	private final Tracer tracer;

	private final Propagator propagator;

	private final TimeSource time;

	SpanTraces(Tracer tracer, Propagator propagator, TimeSource time) {
		this.tracer = tracer;
		this.propagator = propagator;
		this.time = time;
	}

	@Override
	public Trace begin(ServerHttpRequest request, @Nullable Operation operation) {
		Clock clock = new Clock(this.time.millis(), System.nanoTime());
		String method = request.getMethod().name();
		String route = EntityPath.withoutKey(request.getPath().value());
		Span span = this.propagator.extract(request.getHeaders(), HttpHeaders::getFirst)
			.kind(Span.Kind.SERVER)
			.name((operation != null) ? method + " " + route : "HTTP")
			.startTimestamp(clock.micros(clock.nanos), TimeUnit.MICROSECONDS)
			.start();
		if (operation != null && !span.isNoop()) {
			span.tag("http.request.method", method).tag("http.route", route);
		}
		return new Spans(span, clock);
	}

	/** An instant of the wall clock and the same one of the monotonic clock. */
	private record Clock(long millis, long nanos) {

		private long micros(long atNanos) {
			return TimeUnit.MILLISECONDS.toMicros(this.millis) + TimeUnit.NANOSECONDS.toMicros(atNanos - this.nanos);
		}

	}

	/** The spans of one request. */
	private final class Spans implements Trace {

		private final Span span;

		private final Clock clock;

		private Spans(Span span, Clock clock) {
			this.span = span;
			this.clock = clock;
		}

		@Override
		public TraceParent parent() {
			boolean isSampled = Boolean.TRUE.equals(this.span.context().sampled());
			return new TraceParent("00-" + this.span.context().traceId() + "-" + this.span.context().spanId()
					+ (isSampled ? "-01" : "-00"));
		}

		@Override
		public @Nullable TraceContext place() {
			return this.span.isNoop() ? null
					: TraceContext.of(this.span.context().traceId(), this.span.context().spanId());
		}

		@Override
		public void ended(ClientRequest request, Outcome outcome) {
			RequestTimeline timeline = request.timeline();
			long endNanos = timeline.endNanos();
			if (!this.span.isNoop()) {
				describe(request, outcome);
				long at = timeline.coordinatorBeginNanos();
				for (Stage stage : Stage.ALL) {
					if (timeline.nanos(stage) >= 0) {
						end(child(stage.word(), at).start(), at + timeline.nanos(stage));
						at += timeline.nanos(stage);
					}
				}
				timeline.hops().forEach((hop) -> asked(hop, endNanos));
			}
			end(this.span, endNanos);
		}

		private void describe(ClientRequest request, Outcome outcome) {
			this.span.tag("quorate.outcome", outcome.word());
			Key key = request.key();
			if (key != null) {
				this.span.tag("quorate.key.hash", LoggedKey.of(key));
			}
			Consistency consistency = request.consistency();
			if (consistency != null) {
				this.span.tag("quorate.replicas", consistency.ack() + "/" + consistency.from());
			}
			if (request.status() > 0) {
				this.span.tag("http.response.status_code", request.status());
			}
			if (request.status() >= 500) {
				this.span.error(new Unanswered(outcome));
			}
		}

		/* A replica that has not answered was waited for until the end. */
		private void asked(Hop hop, long endNanos) {
			Span asked = child("replica " + MeterByTag.word(hop.work()), hop.beginNanos()).kind(Span.Kind.CLIENT)
				.start()
				.tag("quorate.node", hop.node())
				.tag("quorate.outcome", hop.outcome());
			end(asked, hop.isAnswered() ? hop.beginNanos() + hop.nanos() : endNanos);
		}

		private Span.Builder child(String name, long beginNanos) {
			return SpanTraces.this.tracer.spanBuilder()
				.setParent(this.span.context())
				.name(name)
				.startTimestamp(this.clock.micros(beginNanos), TimeUnit.MICROSECONDS);
		}

		private void end(Span ended, long nanos) {
			ended.end(this.clock.micros(nanos), TimeUnit.MICROSECONDS);
		}

	}

	/** The failure that a span shows; without stack trace, which the log has. */
	private static final class Unanswered extends RuntimeException {

		private Unanswered(Outcome outcome) {
			super(outcome.word(), null, false, false);
		}

	}

}
