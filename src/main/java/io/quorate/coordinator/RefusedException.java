package io.quorate.coordinator;

/** The request was not begun, or every replica refused it: nothing was written. */
public final class RefusedException extends RuntimeException {

	private final Why why;

	/** Says why, with the numbers. */
	public RefusedException(Why why, String detail) {
		super(detail);
		this.why = why;
	}

	/** The kind of refusal. */
	public Why why() {
		return this.why;
	}

	/** Kinds of refusal. */
	public enum Why {

		/** The bound on requests in flight was reached. It heals by itself. */
		REQUESTS,

		/** The bound on bytes in flight was reached. It heals by itself. */
		BYTES,

		/** Too many replicas have reached a bound of theirs. It heals by itself. */
		REPLICAS,

		/** No room on the disks. */
		DISK_FULL,

		/** The node is about to stop. */
		DRAINING,

		/** The clock cannot give out a stamp. */
		CLOCK,

		/**
		 * Its deadline had passed, or may have, before anything was done: this node stood
		 * still.
		 */
		LATE

	}

}
