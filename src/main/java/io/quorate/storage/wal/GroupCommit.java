package io.quorate.storage.wal;

/**
 * How long a batch of writes waits for others that share its force. Who writes alone
 * waits for nobody. Where a few clients write, each again as soon as it has its answer,
 * all have come soon and nobody else does: after a wait that ended in silence, the next
 * ones end as soon as as many have come. Used by one thread.
 */
final class GroupCommit {

	/**
	 * Where so many share a force each pays little for it, and would pay more by waiting:
	 * the busier a node is, the shorter its writes wait.
	 */
	static final int ENOUGH = 24;

	/* With so many writes in a batch, others are likely to come soon. */
	private static final int LEAST = 3;

	/*
	 * Of a wait without an arrival. Writes that come at random, eight a millisecond,
	 * leave such a gap once in 250 waits.
	 */
	private static final double SILENCE = 0.85;

	/* So many batches believe it, then one waits to the end again. */
	private static final int SHORTEST_TRUST = 8;

	private static final int LONGEST_TRUST = 64;

	private final long gatherNanos;

	private int before;

	private int expected = Integer.MAX_VALUE;

	private int trust = SHORTEST_TRUST;

	private int believing;

	private long waitedNanos;

	/**
	 * Nobody has written yet.
	 * @param gatherNanos least time between the beginnings of two forces of several
	 * writes, zero for none
	 */
	GroupCommit(long gatherNanos) {
		this.gatherNanos = gatherNanos;
	}

	/** How long the next batch may wait yet, so long after the last force has begun. */
	long patienceNanos(long sinceForceNanos) {
		return (this.before >= LEAST) ? this.gatherNanos - sinceForceNanos : 0;
	}

	/** With so many writes it need not wait any longer. */
	int expected() {
		return Math.min(this.expected, ENOUGH);
	}

	/** The next batch has waited. */
	void waited(long nanos) {
		this.waitedNanos = nanos;
	}

	/**
	 * What the wait has brought.
	 * @param silentNanos since the last of the writes has come
	 */
	void came(int writes, long silentNanos) {
		if (this.waitedNanos > 0 && writes > 0) {
			learn(writes, silentNanos);
		}
		this.waitedNanos = 0;
		this.before = writes;
	}

	/* After a slow force little is left of the time, and to hear nothing is no news. */
	private boolean isLong(long nanos) {
		return 2 * nanos >= this.gatherNanos;
	}

	/** The wait has brought nothing. */
	void nobodyCame() {
		came(0, 0);
	}

	private void learn(int writes, long silentNanos) {
		if (writes >= this.expected && this.believing > 0) {
			this.believing--;
			this.expected = (this.believing > 0) ? writes : Integer.MAX_VALUE;
		}
		else if (isLong(this.waitedNanos) && silentNanos >= SILENCE * this.waitedNanos) {
			this.believing = this.trust;
			this.trust = Math.min(LONGEST_TRUST, 2 * this.trust);
			this.expected = writes;
		}
		else {
			this.believing = 0;
			this.trust = SHORTEST_TRUST;
			this.expected = Integer.MAX_VALUE;
		}
	}

}
