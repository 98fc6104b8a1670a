package io.quorate.storage.wal;

/**
 * The group-commit delay: the time that the log waits for more writes before one fsync. A
 * single writer never waits. When a few clients write, each again as soon as it has its
 * answer, all their writes arrive early in the wait, and then none. So after a wait that
 * ended in silence, the next waits end as soon as as many writes have arrived.
 * <p>
 * Nor does a burst wait: a wait saves processor time, of which a log that was idle has
 * taken none. The fsyncs draw on a token bucket, in which one token accrues in each
 * window. While there is a token the next fsync begins at once, so waits begin when the
 * fsyncs of the last {@value #BURST} windows were more than one each. Used by one thread.
 */
final class GroupCommit {

	/**
	 * Number of writes at which no wait begins or goes on: when so many share an fsync,
	 * each pays little for it, and would pay more by waiting. The busier a node is, the
	 * shorter its writes wait.
	 */
	static final int ENOUGH = 24;

	/** Number of fsyncs that need not wait after a time without any. */
	static final int BURST = 10;

	/* With so many writes in a batch, more are likely to arrive soon. */
	private static final int LEAST = 3;

	/*
	 * Part of a wait without an arrival that counts as silence. Writes that come at
	 * random, eight a millisecond, leave such a gap once in 250 waits.
	 */
	private static final double SILENCE = 0.85;

	/*
	 * Least number of batches that end their wait early; then one waits to the end again.
	 */
	private static final int SHORTEST_TRUST = 8;

	private static final int LONGEST_TRUST = 64;

	private final long gatherNanos;

	/* Right after the last fsync began; negative as long as the next one has to wait. */
	private long tokenNanos;

	private long forceNanos;

	private int before;

	private int expected = Integer.MAX_VALUE;

	private int trust = SHORTEST_TRUST;

	private int believing;

	private long waitedNanos;

	/**
	 * A group commit before the first write.
	 * @param gatherNanos time in which one fsync of several writes falls due, zero for
	 * none
	 */
	GroupCommit(long gatherNanos, long nowNanos) {
		this.gatherNanos = gatherNanos;
		this.tokenNanos = mostNanos();
		this.forceNanos = nowNanos;
	}

	/** Time that the next batch may still wait. */
	long patienceNanos(long nowNanos) {
		return (this.before >= LEAST) ? -tokenNanos(nowNanos) : 0;
	}

	private long tokenNanos(long nowNanos) {
		return Math.min(this.tokenNanos + nowNanos - this.forceNanos, mostNanos());
	}

	/* The first fsync needs no token. */
	private long mostNanos() {
		return (BURST - 1) * this.gatherNanos;
	}

	/** Notes the beginning of an fsync, which may be one that need not wait. */
	void forceBegins(long nowNanos) {
		this.tokenNanos = Math.max(tokenNanos(nowNanos), 0) - this.gatherNanos;
		this.forceNanos = nowNanos;
	}

	/** Number of writes at which the next batch need not wait any longer. */
	int expected() {
		return Math.min(this.expected, ENOUGH);
	}

	/** Notes that the next batch has waited. */
	void waited(long nanos) {
		this.waitedNanos = nanos;
	}

	/**
	 * Notes the writes that arrived by the end of the wait.
	 * @param silentNanos time since the last of the writes arrived
	 */
	void came(int writes, long silentNanos) {
		if (this.waitedNanos > 0 && writes > 0) {
			learn(writes, silentNanos);
		}
		this.waitedNanos = 0;
		this.before = writes;
	}

	/* After a slow fsync little of the time is left, and silence then proves nothing. */
	private boolean isLong(long nanos) {
		return 2 * nanos >= this.gatherNanos;
	}

	/** Notes that no write arrived during the wait. */
	void noneCame() {
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
