package io.quorate.coordinator;

/**
 * The refusal of a request that was not begun, or that every replica refused, or so many
 * before an entry was sent that there is no quorum: nothing was written.
 */
public final class RefusedException extends RuntimeException {

	private final Why why;

	/** Refuses for a reason; the detail gives the numbers. */
	public RefusedException(Why why, String detail) {
		super(detail);
		this.why = why;
	}

	/** Refuses what depends on the true time, on which the members do not agree. */
	static RefusedException withoutTime() {
		return new RefusedException(Why.CLOCK,
				"the value has or gets an expiry, and no majority of the members' clocks was read just now that are within 500 ms of each other");
	}

	/** The kind of refusal. */
	public Why why() {
		return this.why;
	}

	/** The kinds of refusal. */
	public enum Why {

		/** The bound on requests in flight was reached. This state ends by itself. */
		REQUESTS,

		/** The bound on bytes in flight was reached. This state ends by itself. */
		BYTES,

		/**
		 * The share of the sender in these bounds was reached. This state ends by itself.
		 */
		SHARE,

		/**
		 * Too many replicas have reached a bound of theirs. This state ends by itself.
		 */
		REPLICAS,

		/** The disks are full. */
		DISK_FULL,

		/** The node is about to stop. */
		DRAINING,

		/** The clock cannot give out a timestamp. */
		CLOCK,

		/**
		 * The deadline of the request had passed, or may have, before anything was done:
		 * this node stood still.
		 */
		LATE

	}

}
