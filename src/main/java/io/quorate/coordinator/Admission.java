package io.quorate.coordinator;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.quorate.coordinator.RefusedException.Why;

/**
 * The bounds on requests and bytes in flight in this node. Beyond them a request is
 * refused at once, before any work is done. Lock-free, for any number of threads.
 */
public final class Admission {

	private final int maxRequests;

	private final long maxBytes;

	private final AtomicInteger requests = new AtomicInteger();

	private final AtomicLong bytes = new AtomicLong();

	/** Bounds of this many requests and bytes. */
	public Admission(int maxRequests, long maxBytes) {
		this.maxRequests = maxRequests;
		this.maxBytes = maxBytes;
	}

	/**
	 * Takes in one request.
	 * @param sizeBytes bytes it is known to hold from now on
	 * @throws RefusedException when a bound is reached
	 */
	public Permit admit(long sizeBytes) {
		if (this.requests.incrementAndGet() > this.maxRequests) {
			this.requests.decrementAndGet();
			throw new RefusedException(Why.OVERLOADED,
					"requests in flight at the limit of %d".formatted(this.maxRequests));
		}
		Permit permit = new Permit();
		try {
			permit.grow(sizeBytes);
		}
		catch (RefusedException refused) {
			permit.close();
			throw refused;
		}
		return permit;
	}

	/** Requests in flight. */
	public int requests() {
		return this.requests.get();
	}

	/** Bytes in flight. */
	public long bytes() {
		return this.bytes.get();
	}

	/**
	 * The place of one request, given back exactly once however often it is closed.
	 */
	public final class Permit implements AutoCloseable {

		private final AtomicLong held = new AtomicLong();

		private final AtomicBoolean closed = new AtomicBoolean();

		private Permit() {
		}

		/**
		 * Takes in more bytes for the request, before they are held.
		 * @throws RefusedException when the bound is reached; the permit stays as it was
		 */
		public void grow(long sizeBytes) {
			if (Admission.this.bytes.addAndGet(sizeBytes) > Admission.this.maxBytes) {
				Admission.this.bytes.addAndGet(-sizeBytes);
				throw new RefusedException(Why.OVERLOADED,
						"bytes in flight at the limit of %d".formatted(Admission.this.maxBytes));
			}
			this.held.addAndGet(sizeBytes);
		}

		@Override
		public void close() {
			if (this.closed.compareAndSet(false, true)) {
				Admission.this.bytes.addAndGet(-this.held.get());
				Admission.this.requests.decrementAndGet();
			}
		}

	}

}
