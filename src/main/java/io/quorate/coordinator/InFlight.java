package io.quorate.coordinator;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Requests and bytes in flight, and their bounds. Of the bytes, a part never waits for
 * clients. Safe for any number of threads.
 */
final class InFlight {

	private volatile int maxRequests;

	private volatile long maxBytes;

	private final AtomicInteger requests = new AtomicInteger();

	private final AtomicLong bytes = new AtomicLong();

	private final AtomicLong waitingBytes = new AtomicLong();

	InFlight(int maxRequests, long maxBytes) {
		this.maxRequests = maxRequests;
		this.maxBytes = maxBytes;
	}

	/** Makes the bounds a part of others, of one request and one byte at least. */
	void limitToPartOf(InFlight whole, double part) {
		this.maxRequests = (int) Math.max(1, whole.maxRequests * part);
		this.maxBytes = (long) Math.max(1, whole.maxBytes * part);
	}

	int maxRequests() {
		return this.maxRequests;
	}

	long maxBytes() {
		return this.maxBytes;
	}

	int requests() {
		return this.requests.get();
	}

	long bytes() {
		return this.bytes.get();
	}

	/** Whether one more request would be within the bound. */
	boolean hasPlace() {
		return this.requests.get() < this.maxRequests;
	}

	/** Whether so many more bytes would be within the bound. */
	boolean hasRoom(long more) {
		return this.bytes.get() + more <= this.maxBytes;
	}

	/** Whether so many more bytes may wait for a client, who holds none yet. */
	boolean mayWait(long more) {
		long others = this.waitingBytes.get();
		return others == 0 || others + more <= mostWaiting();
	}

	private long mostWaiting() {
		return this.maxBytes / 4 * 3;
	}

	/**
	 * Takes more bytes that wait for a client, if they may; gives some back when they are
	 * negative. One request that waits alone may have any number.
	 * @param own all that the request has, with these
	 */
	boolean await(long more, long own) {
		if (more != 0) {
			long all = this.waitingBytes.addAndGet(more);
			if (more > 0 && all > mostWaiting() && all != own) {
				this.waitingBytes.addAndGet(-more);
				return false;
			}
		}
		return true;
	}

	/** Takes the place of one request, if one is free. */
	boolean begin() {
		if (this.requests.incrementAndGet() > this.maxRequests) {
			this.requests.decrementAndGet();
			return false;
		}
		return true;
	}

	void end() {
		this.requests.decrementAndGet();
	}

	/** Takes more bytes, if there is room; gives some back when they are negative. */
	boolean take(long more) {
		if (more != 0 && this.bytes.addAndGet(more) > this.maxBytes && more > 0) {
			this.bytes.addAndGet(-more);
			return false;
		}
		return true;
	}

}
