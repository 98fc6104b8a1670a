package io.quorate.security.access;

import io.quorate.security.RequestRate;
import io.micrometer.core.instrument.Counter;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one principal while the node runs, over all changes of its rights. Safe
 * for any number of threads.
 */
final class Account {

	private final Counter requests;

	private final Counter bytes;

	private final @Nullable RequestRate rate;

	Account(Counter requests, Counter bytes, @Nullable RequestRate rate) {
		this.requests = requests;
		this.bytes = bytes;
		this.rate = rate;
	}

	/** The same account with another limit. */
	Account with(@Nullable RequestRate another) {
		return new Account(this.requests, this.bytes, another);
	}

	/** Whether it has this limit. */
	boolean isLimitedTo(@Nullable Integer perSecond) {
		return (perSecond != null) ? this.rate != null && this.rate.perSecond() == perSecond : this.rate == null;
	}

	/**
	 * Changes the limit, if it has one: what was used of this second stays used.
	 * @return whether it has one
	 */
	boolean limit(int perSecond) {
		if (this.rate != null) {
			this.rate.limit(perSecond);
		}
		return this.rate != null;
	}

	/** Takes a request, if the rate allows it. */
	boolean take(long nanos) {
		return this.rate == null || this.rate.take(nanos);
	}

	void served() {
		this.requests.increment();
	}

	void wrote(int sizeBytes) {
		this.bytes.increment(sizeBytes);
	}

}
