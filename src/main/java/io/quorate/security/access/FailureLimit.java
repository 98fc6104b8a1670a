package io.quorate.security.access;

import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The limit on failures: {@value #PER_SECOND} a second of one address. Only failures are
 * counted, so a client behind the same proxy is not locked out. Remembers the addresses
 * of the latest failures, a bounded number. Safe for any number of threads.
 */
final class FailureLimit {

	static final int PER_SECOND = 10;

	static final int MAX_ADDRESSES = 4096;

	private final Map<String, RequestRate> byAddress = new LinkedHashMap<>(16, 0.75f, true) {

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, RequestRate> eldest) {
			return size() > MAX_ADDRESSES;
		}

	};

	/** Whether an address has reached the limit; takes nothing. */
	synchronized boolean isReached(@Nullable String address, long nanos) {
		RequestRate rate = this.byAddress.get(String.valueOf(address));
		return rate != null && !rate.has(nanos);
	}

	/** Whether one more failure of an address is within the limit. */
	synchronized boolean take(@Nullable String address, long nanos) {
		return this.byAddress.computeIfAbsent(String.valueOf(address), (_) -> new RequestRate(PER_SECOND, nanos))
			.take(nanos);
	}

}
