package io.quorate.spring.boot.metrics;

import java.util.Locale;
import java.util.OptionalInt;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.quorate.client.CallObserver;
import io.quorate.client.CallReport;
import io.quorate.client.OutcomeUnknownException;
import io.quorate.client.RefusedException;
import io.quorate.client.UnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * Meters of the calls of a client. Their tags have few values, and never a key or a node:
 * the operation, the outcome, the type of the error, and the number of replicas that the
 * caller wanted to answer.
 */
public final class CallMeters implements CallObserver {

	/** The name of the timer of calls. */
	public static final String CALLS = "quorate.client.calls";

	/** The name of the summary of the replicas that had answered. */
	public static final String ACKNOWLEDGED = "quorate.client.acknowledged";

	/** The name of the counter of the attempts that have failed. */
	public static final String FAILED_ATTEMPTS = "quorate.client.failed.attempts";

	/* A number that a caller computes must not make a series of its own. */
	private static final int MOST_REPLICAS = 9;

	private final MeterRegistry registry;

	/**
	 * Creates meters.
	 * @param registry the registry for them
	 */
	public CallMeters(MeterRegistry registry) {
		this.registry = registry;
	}

	@Override
	public void ended(CallReport call) {
		Throwable error = call.error().orElse(null);
		Tags tags = Tags.of(Tag.of("operation", call.operation().name().toLowerCase(Locale.ROOT)),
				Tag.of("outcome", outcome(error)));
		Timer.builder(CALLS)
			.description("Time of calls of the client for Quorate, with all attempts")
			.tags(tags.and("error", (error != null) ? error.getClass().getSimpleName() : "none", "ack",
					ack(call.ack())))
			.register(this.registry)
			.record(call.duration());
		call.acknowledged()
			.ifPresent((replicas) -> DistributionSummary.builder(ACKNOWLEDGED)
				.description("Replicas that had stored a write, or answered a read, when the node answered")
				.tags(tags)
				.register(this.registry)
				.record(replicas));
		Counter.builder(FAILED_ATTEMPTS)
			.description("Attempts of calls that have failed at one node")
			.tags("operation", call.operation().name().toLowerCase(Locale.ROOT))
			.register(this.registry)
			.increment(call.failedAttempts());
	}

	private static String outcome(@Nullable Throwable error) {
		if (error == null) {
			return "success";
		}
		if (error instanceof OutcomeUnknownException) {
			return "unknown";
		}
		if (error instanceof UnavailableException) {
			return "unavailable";
		}
		return (error instanceof RefusedException) ? "refused" : "error";
	}

	private static String ack(OptionalInt replicas) {
		if (replicas.isEmpty()) {
			return "default";
		}
		return (replicas.getAsInt() <= MOST_REPLICAS) ? Integer.toString(replicas.getAsInt()) : "more";
	}

}
