package io.quorate.security.access;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/** The accounts of all principals, by name. Safe for any number of threads. */
final class Accounts {

	private final Map<String, Account> byName = new ConcurrentHashMap<>();

	private final AccessMetrics metrics;

	Accounts(AccessMetrics metrics) {
		this.metrics = metrics;
	}

	/** The account of a principal, with the limit that it has now. */
	Account of(Principal principal, long nanos) {
		Integer perSecond = principal.limits().requestsPerSecond();
		Account account = this.byName.get(principal.name());
		if (account != null && account.isLimitedTo(perSecond)) {
			return account;
		}
		return this.byName.compute(principal.name(), (name, before) -> {
			if (before != null && before.isLimitedTo(perSecond)) {
				return before;
			}
			if (before != null && perSecond != null && before.limit(perSecond)) {
				return before;
			}
			RequestRate rate = rate(perSecond, nanos);
			return (before != null) ? before.with(rate) : this.metrics.account(name, rate);
		});
	}

	private static @Nullable RequestRate rate(@Nullable Integer perSecond, long nanos) {
		return (perSecond != null) ? new RequestRate(perSecond, nanos) : null;
	}

}
