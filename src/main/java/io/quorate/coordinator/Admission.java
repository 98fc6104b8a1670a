package io.quorate.coordinator;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.clock.Deadline;
import io.quorate.coordinator.RefusedException.Why;
import org.jspecify.annotations.Nullable;

/**
 * The bounds on requests and bytes in flight in this node, and perhaps on a share of
 * them. A request beyond them is refused at once, before any work is done. Safe for any
 * number of threads.
 * <p>
 * A client decides how long it takes to send a body, and to take an answer. Requests that
 * wait for their clients meanwhile never hold the last quarter of the bytes: it is for
 * requests that this node works on, and for those of at most {@value #SMALL_BYTES} bytes.
 */
public final class Admission {

	/** Bytes that a request may always hold while it waits for its client. */
	public static final long SMALL_BYTES = 64 * 1024;

	private static final String WAITING = "bytes in flight that wait for clients at three quarters of the limit";

	private final InFlight whole;

	private final @Nullable InFlight share;

	private final Counter shedForRequests;

	private final Counter shedForBytes;

	private final Counter shedForLateness;

	private final Counter shedForShare;

	/**
	 * Creates bounds of this many requests and bytes.
	 * @param meters registry of the meters of requests and bytes in flight, and of
	 * refusals
	 */
	public Admission(int maxRequests, long maxBytes, MeterRegistry meters) {
		this.whole = new InFlight(maxRequests, maxBytes);
		this.share = null;
		this.shedForRequests = CoordinatorMeters.SHED.counter(meters, "requests");
		this.shedForBytes = CoordinatorMeters.SHED.counter(meters, "bytes");
		this.shedForLateness = CoordinatorMeters.SHED.counter(meters, "late");
		this.shedForShare = CoordinatorMeters.SHED.counter(meters, "share");
		CoordinatorMeters.INFLIGHT_REQUESTS.gauge(meters, this.whole, InFlight::requests);
		CoordinatorMeters.INFLIGHT_REQUESTS_LIMIT.gauge(meters, maxRequests, Integer::doubleValue);
		CoordinatorMeters.INFLIGHT.gauge(meters, this.whole, InFlight::bytes);
		CoordinatorMeters.INFLIGHT_LIMIT.gauge(meters, maxBytes, Long::doubleValue);
	}

	private Admission(Admission of, InFlight share) {
		this.whole = of.whole;
		this.share = share;
		this.shedForRequests = of.shedForRequests;
		this.shedForBytes = of.shedForBytes;
		this.shedForLateness = of.shedForLateness;
		this.shedForShare = of.shedForShare;
	}

	/**
	 * Admits requests that together may take no more than a share of these bounds, so
	 * that they cannot keep all others out.
	 * @param part part of the requests and of the bytes, above 0 and at most 1
	 */
	public Admission share(double part) {
		InFlight bounds = new InFlight(0, 0);
		bounds.limitToPartOf(this.whole, part);
		return new Admission(this, bounds);
	}

	/**
	 * Changes the share that {@link #share} has made; what is in flight goes on counting.
	 * @param part part of the requests and of the bytes, above 0 and at most 1
	 */
	public void limit(double part) {
		if (this.share == null) {
			throw new IllegalStateException("not a share");
		}
		this.share.limitToPartOf(this.whole, part);
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
		catch (RuntimeException | Error refused) {
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
		if (this.share != null && !(this.share.hasPlace() && this.share.hasRoom(expectedBytes))) {
			throw beyondShare();
		}
		if (!this.whole.hasPlace()) {
			throw tooManyRequests();
		}
		Permit permit = new Permit();
		if (!this.whole.hasRoom(expectedBytes)) {
			throw permit.full();
		}
		if (expectedBytes > SMALL_BYTES && !this.whole.mayWait(expectedBytes)) {
			throw permit.full(WAITING);
		}
		permit.waitsForClient = true;
		return permit;
	}

	private RefusedException tooManyRequests() {
		this.shedForRequests.increment();
		return new RefusedException(Why.REQUESTS,
				"requests in flight at the limit of %d".formatted(this.whole.maxRequests()));
	}

	private RefusedException beyondShare() {
		this.shedForShare.increment();
		return new RefusedException(Why.SHARE, "requests and bytes in flight at the share of this principal");
	}

	/** Most requests in flight. */
	int maxRequests() {
		return this.whole.maxRequests();
	}

	/** Requests in flight. */
	public int requests() {
		return this.whole.requests();
	}

	/** Bytes in flight. */
	public long bytes() {
		return this.whole.bytes();
	}

	/**
	 * The place of one request, released exactly once however often it is closed. A
	 * closed permit takes in no more bytes: bytes that arrive too late would be counted
	 * for ever.
	 */
	public final class Permit implements AutoCloseable {

		private long held;

		private boolean hasBegun;

		private boolean waitsForClient;

		/* Of the bytes that are held. */
		private long waiting;

		/* Of the latest bytes for which there was no room. */
		private boolean isBeyondShare;

		private boolean isBeyondWaiting;

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
			InFlight limit = Admission.this.share;
			if (limit != null && !limit.begin()) {
				throw beyondShare();
			}
			if (!Admission.this.whole.begin()) {
				if (limit != null) {
					limit.end();
				}
				throw tooManyRequests();
			}
			this.hasBegun = true;
			this.waitsForClient = false;
			tryTake(0);
		}

		/**
		 * Notes that from now on the request waits for its client to take the answer.
		 * @throws RefusedException when requests that wait hold too many bytes
		 */
		public synchronized void awaitClient() {
			this.waitsForClient = true;
			if (!tryTake(0)) {
				this.waitsForClient = false;
				throw full();
			}
		}

		/**
		 * Takes in more bytes of a body, before they are held.
		 * @param isWhole whether nothing more of it is awaited
		 * @throws RefusedException when a bound is reached; the permit stays as it was
		 */
		public synchronized void arrive(long sizeBytes, boolean isWhole) {
			this.waitsForClient = !isWhole;
			grow(sizeBytes);
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
			InFlight limit = Admission.this.share;
			this.isBeyondShare = limit != null && !limit.take(more);
			if (this.isBeyondShare) {
				return false;
			}
			long after = this.held + more;
			long waitingAfter = (this.waitsForClient && after > SMALL_BYTES) ? after : 0;
			long moreWaiting = waitingAfter - this.waiting;
			this.isBeyondWaiting = !Admission.this.whole.await(moreWaiting, waitingAfter);
			if (!this.isBeyondWaiting && Admission.this.whole.take(more)) {
				this.waiting = waitingAfter;
				return true;
			}
			if (!this.isBeyondWaiting) {
				Admission.this.whole.await(-moreWaiting, this.waiting);
			}
			if (limit != null) {
				limit.take(-more);
			}
			return false;
		}

		/**
		 * Returns the refusal of the request because there was no room for more bytes,
		 * and counts it.
		 */
		public synchronized RefusedException full() {
			if (this.isBeyondShare) {
				return beyondShare();
			}
			return full(this.isBeyondWaiting ? WAITING
					: "bytes in flight at the limit of %d".formatted(Admission.this.whole.maxBytes()));
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
				Admission.this.whole.await(-this.waiting, 0);
				release(Admission.this.whole);
				if (Admission.this.share != null) {
					release(Admission.this.share);
				}
			}
		}

		private void release(InFlight from) {
			from.take(-this.held);
			if (this.hasBegun) {
				from.end();
			}
		}

	}

}
