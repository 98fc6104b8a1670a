package io.quorate.repair.purge;

import java.util.Locale;
import java.util.Set;

import io.quorate.membership.members.MemberState;
import io.quorate.membership.members.Membership;

/**
 * A view of purges: the deletions that are withheld, because of which peer, and for which
 * reason. Does not block; safe for any number of threads.
 */
public final class PurgeView {

	private final PurgePermission purgePermission;

	private final Membership membership;

	private final long since;

	/**
	 * A view of the decisions on purges.
	 * @param since hybrid time at which the process started
	 */
	PurgeView(PurgePermission purgePermission, Membership membership, long since) {
		this.purgePermission = purgePermission;
		this.membership = membership;
		this.since = since;
	}

	/** The reasons for which a peer has not agreed. */
	public enum Why {

		/** It is not connected. */
		AWAY,

		/** It is being rebuilt. */
		REBUILDING,

		/** It was not compared with this node since then. */
		NOT_COMPARED;

		/** The word for operators and meters. */
		public String word() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

	/**
	 * The deletions that are withheld because of a peer.
	 *
	 * @param seconds time for which the oldest deletions that are old enough have been
	 * withheld, 0 when none are
	 * @param why reason for which the peer has not agreed, or would not
	 */
	public record Withheld(double seconds, Why why) {
	}

	/** The peers that have to agree. */
	public Set<String> peers() {
		return this.purgePermission.sharing();
	}

	/** The deletions that are withheld because of a peer. */
	public Withheld withheldBecauseOf(String peer) {
		return new Withheld(this.purgePermission.withheldSeconds(peer, this.since), reason(peer));
	}

	private Why reason(String peer) {
		if (this.purgePermission.isRebuilding(peer)) {
			return Why.REBUILDING;
		}
		return (this.membership.stateOf(peer) == MemberState.DISCONNECTED) ? Why.AWAY : Why.NOT_COMPARED;
	}

	/** Whether a peer counts as lost, so that purges do not wait for it. */
	public boolean isLost(String peer) {
		return this.purgePermission.isLost(peer);
	}

	/** Age of the youngest deletion that may have been purged; NaN for none. */
	public double horizonAgeSeconds() {
		return this.purgePermission.horizonAgeSeconds();
	}

}
