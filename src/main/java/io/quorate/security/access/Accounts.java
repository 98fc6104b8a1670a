package io.quorate.security.access;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.quorate.security.RequestRate;
import org.jspecify.annotations.Nullable;

/** The accounts of all principals, by name. Safe for any number of threads. */
final class Accounts {

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
			return isLimited ? account : account.with((perSecond != null) ? new RequestRate(perSecond, nanos) : null);
		});
	}

}
