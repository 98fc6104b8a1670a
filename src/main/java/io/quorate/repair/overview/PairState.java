package io.quorate.repair.overview;

import org.jspecify.annotations.Nullable;

/**
 * How far this node and one of its peers are apart.
 *
 * @param peer id of the peer
 * @param member word for the peer's state as a member, as this node sees it
 * @param hints what this node has still to hand over to it, {@code null} when it keeps no
 * hints
 * @param comparison of their stores, {@code null} when they have no entry in common
 * @param purge what is withheld because of the peer, {@code null} when it has no say
 */
public record PairState(String peer, String member, @Nullable Hints hints, @Nullable Comparison comparison,
		@Nullable Purge purge) {

	/**
	 * What is owed to the peer.
	 *
	 * @param count hints
	 * @param bytes what they take on the disk
	 * @param oldestSeconds age of the oldest, 0 when there are none
	 */
	public record Hints(long count, long bytes, double oldestSeconds) {
	}

	/**
	 * The comparison of the two stores.
	 *
	 * @param ageSeconds since the last completed one began, {@code null} for none since
	 * the start of this process
	 * @param led id of the node that leads it
	 * @param running whether one is under way, whoever leads it
	 * @param keysCompared entries that it has looked at, {@code null} unless this node
	 * leads it
	 * @param keysBefore entries that the one before has looked at, {@code null} if none
	 * has
	 */
	public record Comparison(@Nullable Double ageSeconds, String led, boolean running, @Nullable Long keysCompared,
			@Nullable Long keysBefore) {
	}

	/**
	 * What is withheld from purge.
	 *
	 * @param withheldSeconds for how long, beyond the grace period; 0 when nothing is
	 * @param reason word for why, {@code null} when nothing is
	 * @param lost whether the peer counts as lost, so that it is not waited for
	 */
	public record Purge(double withheldSeconds, @Nullable String reason, boolean lost) {
	}

}
