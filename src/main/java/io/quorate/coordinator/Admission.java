package io.quorate.coordinator;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.clock.Deadline;
import io.quorate.coordinator.RefusedException.Why;

/**
 * The bounds on requests and bytes in flight in this node. A request beyond them is
 * refused at once, before any work is done. Safe for any number of threads.
 */
public final class Admission {

	private final int maxRequests;

	private final long maxBytes;

	private final AtomicInteger requests = new AtomicInteger();

	private final AtomicLong bytes = new AtomicLong();

	private final Counter shedForRequests;

	private final Counter shedForBytes;

	private final Counter shedForLateness;

	/**
	 * Creates bounds of this many requests and bytes.
	 * @param meters registry of the meters of requests and bytes in flight, and of
	 * refusals
	 */
	public Admission(int maxRequests, long maxBytes, MeterRegistry meters) {
		this.maxRequests = maxRequests;
		this.maxBytes = maxBytes;
		this.shedForRequests = CoordinatorMeters.SHED.counter(meters, "requests");
		this.shedForBytes = CoordinatorMeters.SHED.counter(meters, "bytes");
		this.shedForLateness = CoordinatorMeters.SHED.counter(meters, "late");
		CoordinatorMeters.INFLIGHT_REQUESTS.gauge(meters, this.requests, AtomicInteger::get);
		CoordinatorMeters.INFLIGHT_REQUESTS_LIMIT.gauge(meters, maxRequests, Integer::doubleValue);
		CoordinatorMeters.INFLIGHT.gauge(meters, this.bytes, AtomicLong::get);
		CoordinatorMeters.INFLIGHT_LIMIT.gauge(meters, maxBytes, Long::doubleValue);
	}

	/**
	 * Admits one request.
	 * @param sizeBytes bytes that the request is known to hold from now on
	 * @throws RefusedException when a bound is reached
	 */
	public Permit admit(long sizeBytes) {
		Permit permit = new Permit();
		try {
			permit.begin();
			permit.grow(sizeBytes);
		}
		catch (RefusedException refused) {
			permit.close();
			throw refused;
		}
		return permit;
	}

	/**
	 * Returns the deadline of a request that starts now.
	 * @param allowed time that the request may take in all
	 * @param waitedNanos time that the request may have waited before this node looked at
	 * it
	 * @throws RefusedException when its deadline may have passed
	 */
	public Deadline deadline(Duration allowed, long waitedNanos) {
		if (waitedNanos >= allowed.toNanos()) {
			this.shedForLateness.increment();
			throw new RefusedException(Why.LATE,
					"this node stood still for %d ms, in which the deadline of the request, %d ms, may have passed"
						.formatted(TimeUnit.NANOSECONDS.toMillis(waitedNanos), allowed.toMillis()));
		}
		return Deadline.after(allowed.minusNanos(waitedNanos));
	}

	/**
	 * Returns a permit for a request of which a part has not arrived yet. The permit
	 * takes no place yet: a client that sends nothing keeps no other client out.
	 * @param expectedBytes number of bytes still to come, as far as it is known
	 * @throws RefusedException when the request could not be admitted now
	 */
	public Permit expect(long expectedBytes) {
		if (this.requests.get() >= this.maxRequests) {
			throw tooManyRequests();
		}
		Permit permit = new Permit();
		if (this.bytes.get() + expectedBytes > this.maxBytes) {
			throw permit.full();
		}
		return permit;
	}

	private RefusedException tooManyRequests() {
		this.shedForRequests.increment();
		return new RefusedException(Why.REQUESTS, "requests in flight at the limit of %d".formatted(this.maxRequests));
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
	 * The place of one request, released exactly once however often it is closed. A
	 * closed permit takes in no more bytes: bytes that arrive too late would be counted
	 * for ever.
	 */
	public final class Permit implements AutoCloseable {

		private long held;

		private boolean hasBegun;

		private boolean isClosed;

		private Permit() {
		}

		/**
		 * Takes the place of a request that has arrived completely.
		 * @throws RefusedException when no place is free
		 */
		public synchronized void begin() {
			if (this.hasBegun || this.isClosed) {
				throw new IllegalStateException("a request begins once");
			}
			if (Admission.this.requests.incrementAndGet() > Admission.this.maxRequests) {
				Admission.this.requests.decrementAndGet();
				throw tooManyRequests();
			}
			this.hasBegun = true;
		}

		/**
		 * Takes in more bytes for the request, before it holds them.
		 * @throws RefusedException when the bound is reached; the permit stays as it was
		 */
		public synchronized void grow(long sizeBytes) {
			if (!tryHold(this.held + sizeBytes)) {
				throw full();
			}
		}

		/**
		 * Sets the number of bytes that the request holds from now on, in all.
		 * @return {@code false} when the request would hold more than before and there is
		 * no room, or when the permit is closed; the permit stays as it was then
		 */
		public synchronized boolean tryHold(long sizeBytes) {
			long more = sizeBytes - this.held;
			if (this.isClosed || !tryTake(more)) {
				return false;
			}
			this.held = sizeBytes;
			return true;
		}

		private boolean tryTake(long more) {
			if (more != 0 && Admission.this.bytes.addAndGet(more) > Admission.this.maxBytes && more > 0) {
				Admission.this.bytes.addAndGet(-more);
				return false;
			}
			return true;
		}

		/** Returns the refusal of the request because there is no room, and counts it. */
		public RefusedException full() {
			return full("bytes in flight at the limit of %d".formatted(Admission.this.maxBytes));
		}

		/** As {@link #full()}, with another message. */
		RefusedException full(String detail) {
			Admission.this.shedForBytes.increment();
			return new RefusedException(Why.BYTES, detail);
		}

		@Override
		public synchronized void close() {
			if (!this.isClosed) {
				this.isClosed = true;
				Admission.this.bytes.addAndGet(-this.held);
				if (this.hasBegun) {
					Admission.this.requests.decrementAndGet();
				}
			}
		}

	}

}
