package io.quorate.coordinator;

import io.quorate.clock.TrueTime;
import io.quorate.entry.Entry;
import io.quorate.entry.Summary;
import io.quorate.replica.Handover;
import org.jspecify.annotations.Nullable;

/**
 * The expiry of what one request writes into a register, and whether the request can
 * judge that of what the register holds: both by the time on which the members agree. It
 * is fixed by the first round that proposes, and the same in all later ones. Confined to
 * the rounds of its request, which follow one another.
 */
final class AgreedExpiry {

	private final ClusterView view;

	private final RegisterTerms terms;

	/* Instant at which the request began, by the clock that ages readings of clocks. */
	private final long begunNanos;

	/* By the time to live; 0 until a round proposes. */
	private long millis;

	AgreedExpiry(ClusterView view, RegisterTerms terms) {
		this.view = view;
		this.terms = terms;
		this.begunNanos = view.bootNanos();
	}

	/**
	 * The true time, by a clock that was read since the request began, or
	 * {@link TrueTime#UNKNOWN}.
	 */
	long nowMillis() {
		return this.view.trueMillisSince(this.begunNanos);
	}

	/**
	 * Whether the request depends on an expiry that cannot be judged.
	 * @param nowMillis time of the round
	 */
	boolean isUnjudged(@Nullable Summary held, long nowMillis) {
		boolean isWhatever = this.terms.isWrite() && this.terms.condition().isNone();
		return nowMillis == TrueTime.UNKNOWN && held != null && held.expiryMillis() != Entry.NEVER && !isWhatever;
	}

	/** Whether the expiry of what the request writes is known. */
	boolean isKnown() {
		if (this.terms.ttlMillis() > 0 && this.millis == 0) {
			long now = nowMillis();
			this.millis = (now != TrueTime.UNKNOWN) ? now + this.terms.ttlMillis() : 0;
		}
		return this.terms.ttlMillis() <= 0 || this.millis != 0;
	}

	/**
	 * The expiry of an entry that replaces another one.
	 * @param its the entry without a time to live
	 * @param nowMillis time of the round
	 */
	long of(Entry its, @Nullable Summary base, long nowMillis) {
		if (this.terms.ttlMillis() == Handover.KEEP) {
			return (base != null && !base.isAbsentAt(nowMillis)) ? base.expiryMillis() : Entry.NEVER;
		}
		return (this.millis != 0) ? this.millis : its.expiryMillis();
	}

	/** The expiry of a value that is touched: never earlier than it was. */
	long touched(Summary held) {
		return Math.max(held.expiryMillis(), this.millis);
	}

}
