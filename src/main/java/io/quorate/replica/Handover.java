package io.quorate.replica;

import io.quorate.entry.Condition;
import io.quorate.entry.Entry;
import org.jspecify.annotations.Nullable;

/**
 * A write of a register, or a read that is to settle it, that its coordinator hands to
 * the node where the writes of that key meet. The node that takes a write gives it its
 * version.
 *
 * @param condition condition on the version that is replaced
 * @param ack number of replicas that must hold the entry, 0 for a majority
 * @param ttlMillis time after which the value reads as absent, or which a touch leaves to
 * it at least; 0 for never, {@link #KEEP} for when the value before would have
 * @param content the value or the deletion, whose timestamp means nothing; {@code null}
 * for a read, and with a time to live for a touch
 */
public record Handover(Condition condition, int ack, long ttlMillis, @Nullable Entry content) {

	/** In the place of a time to live: that the expiry stays. */
	public static final long KEEP = -1;

	/** Checks that only a value has its expiry kept. */
	public Handover {
		if (ttlMillis < KEEP || (ttlMillis == KEEP && !(content instanceof Entry.Live))) {
			throw new IllegalArgumentException("a time to live of %d ms".formatted(ttlMillis));
		}
	}

	/** A touch. */
	public static Handover touch(Condition condition, int ack, long ttlMillis) {
		return new Handover(condition, ack, ttlMillis, null);
	}

	/** Whether it is a read. */
	public boolean isRead() {
		return this.content == null && this.ttlMillis == 0;
	}

	/** A read. */
	public static Handover read(int ack) {
		return new Handover(Condition.NONE, ack, 0, null);
	}

}
