package io.quorate.membership.exchange;

import java.time.Duration;

import io.quorate.clock.SkewJudge;
import io.quorate.clock.Timestamp;
import io.quorate.membership.members.Membership;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.ReadGate;
import io.quorate.storage.StoreIdentity;
import org.jspecify.annotations.Nullable;

/**
 * A gate before a store that may lack entries that this node has acknowledged. A new
 * directory may stand for one that was lost: until this node has met a majority, or has
 * adopted a layout by which it joins with it, it is not read, nor while the store is
 * being rebuilt. Any directory may be an older copy, which a peer notices: until each
 * peer was reached, or could not be, it is not read either.
 * <p>
 * The replica takes entries all the while. The lost entries were taken before this
 * process began, or before the store was set aside for a rebuild, so their timestamps are
 * bounded: the gate knows that no entry above that bound is lost. Safe for any number of
 * threads; takes no lock.
 */
final class StoreGate implements ReadGate {

	private static final Failure STARTING = new Failure(Reason.JOINING,
			"this node has just started, and has not tried yet to reach each other member");

	private static final Failure NEW = new Failure(Reason.JOINING,
			"the directory is new, and this node has not met a majority of the members yet");

	private static final Failure REBUILDING = new Failure(Reason.REBUILDING,
			"the node is being rebuilt from its peers");

	private final StoreIdentity identity;

	private final Membership membership;

	private final InitialContacts meetings;

	private final SkewJudge judge;

	private final long startedNanos = System.nanoTime();

	StoreGate(StoreIdentity identity, Membership membership, InitialContacts meetings, SkewJudge judge) {
		this.identity = identity;
		this.membership = membership;
		this.meetings = meetings;
		this.judge = judge;
	}

	@Override
	public @Nullable Failure closed() {
		if (this.membership.isRebuilding()) {
			return REBUILDING;
		}
		if (!this.meetings.areOver()) {
			return STARTING;
		}
		return (this.identity.isNew() && !this.membership.hasMetMajority()) ? NEW : null;
	}

	@Override
	public long endedRebuilds() {
		return this.membership.endedRebuilds();
	}

	@Override
	public boolean mayHaveLostLaterThan(Timestamp stamp) {
		return closed() != null && this.judge.mayHaveBeenTaken(stamp, sinceLoss());
	}

	private Duration sinceLoss() {
		return this.membership.isRebuilding() ? this.membership.emptiedFor()
				: Duration.ofNanos(System.nanoTime() - this.startedNanos);
	}

}
