package io.quorate.repair.purge;

import java.time.Duration;
import java.util.function.LongSupplier;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.storage.PurgePolicy;

/**
 * Permits a store to purge deletions that are older than the grace period and to which
 * every other replica of the key has agreed; at once while this node is the only member
 * of its cluster. Reads memory only; safe for any number of threads.
 */
public final class ClusterPurgePolicy implements PurgePolicy {

	private final long graceMillis;

	private final PurgePolicy alone;

	private volatile boolean isAlone;

	private final LongSupplier nowMillis;

	private volatile PurgeEligibility purgeEligibility;

	/**
	 * A policy that permits nothing yet.
	 * @param nowMillis the present by the hybrid clock
	 */
	ClusterPurgePolicy(ReplicaSets sets, Duration grace, LongSupplier nowMillis) {
		this.graceMillis = grace.toMillis();
		this.nowMillis = nowMillis;
		this.alone = PurgePolicy.alone(nowMillis);
		this.purgeEligibility = PurgeEligibility.nothing(sets);
	}

	/** Permits these purges from now on. */
	void allow(PurgeEligibility allowed) {
		this.purgeEligibility = allowed;
	}

	/**
	 * Permits all purges at once, as long as this node is alone. A policy that is new
	 * does not: whether the cluster has other members is not known before the store is
	 * open.
	 */
	void allowAll(boolean isAlone) {
		this.isAlone = isAlone;
	}

	@Override
	public boolean mayPurge(Key key, Timestamp timestamp, long sequence) {
		if (this.isAlone) {
			return true;
		}
		return timestamp.millis() <= oldEnoughMillis() && this.purgeEligibility.allows(key, timestamp, sequence);
	}

	@Override
	public Timestamp purgeBefore() {
		if (this.isAlone) {
			return this.alone.purgeBefore();
		}
		Timestamp oldEnough = Timestamp.ofMillis(Math.max(0, oldEnoughMillis()));
		Timestamp agreed = new Timestamp(this.purgeEligibility.ofAnyKey().instant(), 0);
		return oldEnough.isAfter(agreed) ? agreed : oldEnough;
	}

	@Override
	public long purgeThrough() {
		return this.isAlone ? this.alone.purgeThrough() : this.purgeEligibility.ofAnyKey().sequence();
	}

	/**
	 * An expired entry is as old as its expiry. It was brought to all replicas, whatever
	 * number it was written to, only by comparisons whose instant was not before the
	 * expiry; so the last comparison with each peer must have been one of these.
	 */
	@Override
	public long expiredBeforeMillis() {
		if (this.isAlone) {
			return this.alone.expiredBeforeMillis();
		}
		return Math.min(oldEnoughMillis(), Timestamp.millisOfHybrid(this.purgeEligibility.ofAnyKey().instant()));
	}

	private long oldEnoughMillis() {
		return this.nowMillis.getAsLong() - this.graceMillis;
	}

}
