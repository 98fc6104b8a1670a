package io.quorate.api.batch;

import io.quorate.coordinator.Admission;

/**
 * The room for the values that one batch has read, until its client has taken them. They
 * are admitted with the batch's own permit, beside its body.
 * <p>
 * Nothing is known of values that are still to be read. Each is expected to be as large
 * as the largest so far, and before {@value #FIRST_READS} are there, no more are read at
 * a time. Used by one thread at a time.
 */
final class BatchRoom {

	/** Reads that may be under way before the first of them is done. */
	static final int FIRST_READS = 8;

	private final Admission.Permit permit;

	private final long bodyBytes;

	private final long mostBytes;

	private int readsDone;

	private long largest;

	private long keptBytes;

	/**
	 * Room that is empty.
	 * @param permit permit of the batch
	 * @param bodyBytes bytes of its body, for which it has the permit
	 * @param mostBytes bytes of values from which on no more are read
	 */
	BatchRoom(Admission.Permit permit, long bodyBytes, long mostBytes) {
		this.permit = permit;
		this.bodyBytes = bodyBytes;
		this.mostBytes = mostBytes;
	}

	/** Whether there is room for one read more than are under way. */
	boolean isFor(int readsUnderWay) {
		return readsUnderWay < FIRST_READS + this.readsDone
				&& this.keptBytes + readsUnderWay * this.largest < this.mostBytes;
	}

	/**
	 * Keeps a value that was read.
	 * @return {@code false} when this node has no room for it
	 */
	boolean tryKeep(int valueBytes) {
		this.readsDone++;
		this.largest = Math.max(this.largest, valueBytes);
		if (!this.permit.tryHold(this.bodyBytes + this.keptBytes + valueBytes)) {
			return false;
		}
		this.keptBytes += valueBytes;
		return true;
	}

	/** Releases values that the client has taken. */
	void release(long valueBytes) {
		this.keptBytes -= valueBytes;
		this.permit.tryHold(this.bodyBytes + this.keptBytes);
	}

	/** The refusal of a value for which this node has no room. */
	RuntimeException full() {
		return this.permit.full();
	}

}
