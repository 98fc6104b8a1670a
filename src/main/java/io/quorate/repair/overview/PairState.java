package io.quorate.repair.overview;

import org.jspecify.annotations.Nullable;

/**
 * The state of repair between this node and one of its peers.
 *
 * @param peer id of the peer
 * @param member word for the peer's state as a member, as this node sees it
 * @param hints hints that this node still has to hand over to the peer, {@code null} when
 * it keeps no hints
 * @param comparison of their stores, {@code null} when they have no entry in common
 * @param purge purges that are withheld because of the peer, {@code null} when its
 * agreement is not needed
 */
public record PairState(String peer, String member, @Nullable Hints hints, @Nullable Comparison comparison,
		@Nullable Purge purge) {

	/**
	 * The hint backlog of the peer.
	 *
	 * @param count number of hints
	 * @param bytes their bytes on the disk
	 * @param oldestSeconds age of the oldest, 0 when there are none
	 */
	public record Hints(long count, long bytes, double oldestSeconds) {
	}

	/**
	 * The comparison of the two stores.
	 *
	 * @param ageSeconds seconds since the last completed one began, {@code null} for none
	 * since the start of this process
	 * @param led id of the node that leads it
	 * @param running whether one is under way, led by either node
	 * @param keysCompared entries that it has looked at, {@code null} unless this node
	 * leads it
	 * @param keysBefore entries that the one before it has looked at, {@code null} if
	 * there was none
	 */
	public record Comparison(@Nullable Double ageSeconds, String led, boolean running, @Nullable Long keysCompared,
			@Nullable Long keysBefore) {
	}

	/**
	 * The purges that are withheld because of the peer.
	 *
	 * @param withheldSeconds time for which they are withheld, beyond the grace period; 0
	 * when none are
	 * @param reason word for the reason, {@code null} when none are
	 * @param lost whether the peer counts as lost, so that it is not waited for
	 */
	public record Purge(double withheldSeconds, @Nullable String reason, boolean lost) {
	}

}
