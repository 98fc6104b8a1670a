package io.quorate.security.access;

import java.util.concurrent.atomic.AtomicInteger;

import io.quorate.security.RequestRate;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.meter.MeterByTag;
import io.quorate.security.access.DeniedException.Why;
import org.jspecify.annotations.Nullable;

/** Counts requests by credentials, outcomes and principals. */
final class AccessMetrics {

	static final int MAX_PRINCIPALS = 64;

	/* No principal has this name: it begins with an underscore. */
	private static final String OTHERS = "_others";

	private final MeterRegistry registry;

	private final MeterByTag<CredentialKind, MeterByTag<Outcome, Counter>> requests;

	private final AtomicInteger principals = new AtomicInteger();

	AccessMetrics(MeterRegistry registry) {
		this.registry = registry;
		this.requests = new MeterByTag<>(CredentialKind.class, (kind) -> new MeterByTag<>(Outcome.class,
				(outcome) -> SecurityMeters.REQUESTS.counter(registry, kind.word(), MeterByTag.word(outcome))));
	}

	void served(CredentialKind kind) {
		this.requests.of(kind).of(Outcome.SERVED).increment();
	}

	void ended(CredentialKind kind, Why why) {
		this.requests.of(kind).of(switch (why) {
			case AMBIGUOUS, NO_CREDENTIALS, INVALID_CREDENTIALS -> Outcome.UNAUTHENTICATED;
			case FORBIDDEN -> Outcome.FORBIDDEN;
			case RATE, FAILURES, BUSY -> Outcome.LIMITED;
		}).increment();
	}

	Account account(String principal, @Nullable RequestRate rate) {
		String name = (this.principals.getAndIncrement() < MAX_PRINCIPALS) ? principal : OTHERS;
		return new Account(SecurityMeters.PRINCIPAL_REQUESTS.counter(this.registry, name),
				SecurityMeters.PRINCIPAL_BYTES.counter(this.registry, name), rate);
	}

	private enum Outcome {

		SERVED, UNAUTHENTICATED, FORBIDDEN, LIMITED

	}

}
