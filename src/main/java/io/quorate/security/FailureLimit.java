package io.quorate.security;

import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The limit on failures of an address in a second. Remembers the addresses of the latest
 * failures, a bounded number. Safe for any number of threads.
 */
public final class FailureLimit {

	static final int MAX_ADDRESSES = 4096;

	private final int perSecond;

	private final Map<String, RequestRate> byAddress = new LinkedHashMap<>(16, 0.75f, true) {

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, RequestRate> eldest) {
			return size() > MAX_ADDRESSES;
		}

	};

	/**
	 * A limit that no address has reached.
	 * @param perSecond most failures of one address in a second
	 */
	public FailureLimit(int perSecond) {
		this.perSecond = perSecond;
	}

	/** Whether an address has reached the limit; takes nothing. */
	public synchronized boolean isReached(@Nullable String address, long nanos) {
		RequestRate rate = this.byAddress.get(String.valueOf(address));
		return rate != null && !rate.has(nanos);
	}

	/** Whether one more failure of an address is within the limit. */
	public synchronized boolean take(@Nullable String address, long nanos) {
		return this.byAddress.computeIfAbsent(String.valueOf(address), (_) -> new RequestRate(this.perSecond, nanos))
			.take(nanos);
	}

}
