package io.quorate.security.access;

import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.clock.TimeSource;
import io.quorate.security.FailureLimit;
import io.quorate.security.RequestRate;
import io.quorate.security.access.DeniedException.Why;
import org.jspecify.annotations.Nullable;

/**
 * The gate that every request over HTTP passes before anything is done for it. Finds the
 * principal of its credentials in the access of this moment, and checks its rate and its
 * right to the path. On a node without an access file each request passes. Cheap, and
 * never blocks. Safe for any number of threads.
 */
public final class Gate {

	/*
	 * Of one address in a second. Only failures count: a client behind the same proxy is
	 * not locked out.
	 */
	static final int MAX_FAILURES = 10;

	private final Identities identities;

	private final Accounts accounts;

	private final FailureLimit failures = new FailureLimit(MAX_FAILURES);

	/* Only these cost a signature. */
	private final FailureLimit failedChecks = new FailureLimit(MAX_FAILURES);

	private final Audit audit;

	private final AccessMetrics metrics;

	private final Caller.Listener passed = new Passed();

	private final TimeSource clock;

	private final LongSupplier nanos;

	Gate(Identities identities, Audit audit, AccessMetrics metrics, TimeSource clock, LongSupplier nanos) {
		this.identities = identities;
		this.accounts = new Accounts(metrics);
		this.audit = audit;
		this.metrics = metrics;
		this.clock = clock;
		this.nanos = nanos;
	}

	/**
	 * A gate through which every request passes.
	 * @param meters registry of its meters
	 */
	public static Gate open(MeterRegistry meters) {
		return new Gate(new Identities(() -> Access.OPEN, null), new Audit(System::nanoTime), new AccessMetrics(meters),
				TimeSource.SYSTEM, System::nanoTime);
	}

	/**
	 * Whether requests without credentials have a principal at this moment: the node is
	 * open, or its access file has an entry for them.
	 */
	public boolean servesAnonymous() {
		return this.identities.access().get().anonymous() != null;
	}

	/**
	 * Lets a request pass. A JSON web token that is not known yet is refused, unchecked,
	 * while its address sends too many invalid ones, unless it says that it is of a
	 * subject that has rights: behind the same proxy there may be clients with valid
	 * ones.
	 * @param right the right that its path requires
	 * @return its sender; {@code null} when it has a JSON web token that is to be checked
	 * first, by {@link #check}
	 * @throws DeniedException when it may not
	 */
	public @Nullable Caller enter(Credentials sent, Right right) {
		Access present = this.identities.access().get();
		if (right == Right.NONE) {
			Caller caller = new Caller(this.passed, Principal.STRANGER, Credential.NONE, sent);
			caller.end();
			return caller;
		}
		if (present == Access.OPEN) {
			return new Caller(this.passed, Principal.UNRESTRICTED, Credential.NONE, sent);
		}
		Credential credential = credential(sent);
		if (!(credential instanceof Credential.UncheckedJwt token)) {
			return admit(present, credential, sent, right);
		}
		if (this.failedChecks.isReached(sent.address(), this.nanos.getAsLong()) && !token.isClaimedIn(present)) {
			throw refused(credential.kind(), sent, tooManyFailures());
		}
		return null;
	}

	/**
	 * Checks the JSON web token of a request for which {@link #enter} has returned
	 * {@code null}, and lets it pass. Completes on another thread, with a
	 * {@link DeniedException} when it may not.
	 */
	public CompletableFuture<Caller> check(Credentials sent, Right right) {
		Credential credential = credential(sent);
		if (!(credential instanceof Credential.UncheckedJwt token)) {
			return CompletableFuture.completedFuture(credential)
				.thenApply((known) -> admit(this.identities.access().get(), known, sent, right));
		}
		return token.checked(String.valueOf(sent.address()))
			.handle((checked, refused) -> admit(this.identities.access().get(),
					(checked != null) ? checked : unchecked(token, refused, sent), sent, right));
	}

	/*
	 * A token without principal stays one; only the lack of threads or time is no fault
	 * of it.
	 */
	private Credential unchecked(Credential token, Throwable refused, Credentials sent) {
		Throwable cause = (refused instanceof CompletionException) ? refused.getCause() : refused;
		if (cause instanceof RejectedExecutionException || cause instanceof TimeoutException) {
			throw refused(token.kind(), sent,
					new DeniedException(Why.BUSY, "too many JSON web tokens wait for their check"));
		}
		this.failedChecks.take(sent.address(), this.nanos.getAsLong());
		return token;
	}

	private Caller admit(Access present, Credential credential, Credentials sent, Right right) {
		Principal principal = credential.in(present, now());
		if (principal == null) {
			throw unknown(credential, sent);
		}
		Caller caller = new Caller(this.passed, principal, credential, sent);
		long now = this.nanos.getAsLong();
		if (!this.accounts.limited(principal, now).take(now)) {
			throw this.passed.denied(caller, Why.RATE, "`%s` has sent more than its %s requests in a second"
				.formatted(principal.name(), principal.limits().requestsPerSecond()));
		}
		if (!principal.has(right)) {
			throw this.passed.denied(caller, Why.FORBIDDEN,
					"`%s` may not %s".formatted(principal.name(), right.words()));
		}
		return caller;
	}

	private Credential credential(Credentials sent) {
		try {
			return Credential.of(sent, this.identities.jwts(), now());
		}
		catch (DeniedException ambiguous) {
			throw failed(CredentialKind.TOKEN, sent, ambiguous);
		}
	}

	private Instant now() {
		return Instant.ofEpochMilli(this.clock.millis());
	}

	/* One text for all reasons, which would help to guess. */
	private DeniedException unknown(Credential credential, Credentials sent) {
		Why why = (credential == Credential.NONE) ? Why.NO_CREDENTIALS : Why.INVALID_CREDENTIALS;
		return failed(credential.kind(), sent, new DeniedException(why,
				"this needs valid credentials: a token in the field Authorization, after the word Bearer"));
	}

	private DeniedException failed(CredentialKind kind, Credentials sent, DeniedException first) {
		return refused(kind, sent,
				this.failures.take(sent.address(), this.nanos.getAsLong()) ? first : tooManyFailures());
	}

	private static DeniedException tooManyFailures() {
		return new DeniedException(Why.FAILURES, "too many requests without valid credentials come from this address");
	}

	private DeniedException refused(CredentialKind kind, Credentials sent, DeniedException denied) {
		this.metrics.ended(kind, denied.why());
		this.audit.denied(null, kind, sent, denied.why());
		return denied;
	}

	/** The requests that have passed. */
	private final class Passed implements Caller.Listener {

		@Override
		public DeniedException denied(Caller caller, Why why, String detail) {
			if (caller.end()) {
				Gate.this.metrics.ended(caller.kind(), why);
			}
			Gate.this.audit.denied(caller.principal().name(), caller.kind(), caller.sent(), why);
			return new DeniedException(why, detail);
		}

		@Override
		public void served(Caller caller) {
			Gate.this.metrics.served(caller.kind());
			Gate.this.accounts.named(caller.principal().name()).served();
		}

		@Override
		public void wrote(Caller caller, int bytes) {
			Gate.this.accounts.named(caller.principal().name()).wrote(bytes);
		}

		@Override
		public void administered(Caller caller, Command command, int status) {
			Gate.this.audit.administered(caller, command, status);
		}

		@Override
		public @Nullable Principal now(Caller caller) {
			Access present = Gate.this.identities.access().get();
			return (present == Access.OPEN) ? Principal.UNRESTRICTED : caller.credential().in(present, Gate.this.now());
		}

	}

	/** The accounts of all principals, by name. Safe for any number of threads. */
	private static final class Accounts {

		private final Map<String, Account> byName = new ConcurrentHashMap<>();

		private final AccessMetrics metrics;

		Accounts(AccessMetrics metrics) {
			this.metrics = metrics;
		}

		/** The account of a principal, to count on. */
		Account named(String principal) {
			Account account = this.byName.get(principal);
			return (account != null) ? account
					: this.byName.computeIfAbsent(principal, (name) -> this.metrics.account(name, null));
		}

		/** The account of a principal, with the limit that it has now. */
		Account limited(Principal principal, long nanos) {
			Integer perSecond = principal.limits().requestsPerSecond();
			Account account = named(principal.name());
			return account.isLimitedTo(perSecond) ? account : limited(principal.name(), perSecond, nanos);
		}

		/* What was used of this second stays used when the limit changes. */
		private Account limited(String principal, @Nullable Integer perSecond, long nanos) {
			return this.byName.compute(principal, (name, before) -> {
				Account account = (before != null) ? before : this.metrics.account(name, null);
				boolean isLimited = account.isLimitedTo(perSecond) || (perSecond != null && account.limit(perSecond));
				return isLimited ? account
						: account.with((perSecond != null) ? new RequestRate(perSecond, nanos) : null);
			});
		}

	}

}
