package io.quorate.consensus;

import java.util.Comparator;
import java.util.UUID;

/**
 * The number of one attempt to have a content decided. No two attempts have the same one:
 * each round is durable before its proposer uses it, and another proposer has another
 * storage id. The id of the node would not do in its place, because a node that has lost
 * its disk does not know which rounds it has used.
 *
 * @param round number that rises with each attempt of a proposer, from 1
 * @param proposer storage id of the proposer
 */
public record Ballot(long round, UUID proposer) implements Comparable<Ballot> {

	/** The ballot below all others, which no attempt has. */
	public static final Ballot NONE = new Ballot(0, new UUID(0, 0));

	private static final Comparator<Ballot> ORDER = Comparator.comparingLong(Ballot::round)
		.thenComparing(Ballot::proposer);

	public Ballot {
		if (round < 0) {
			throw new IllegalArgumentException("the round %d of a ballot is negative".formatted(round));
		}
	}

	@Override
	public int compareTo(Ballot other) {
		return ORDER.compare(this, other);
	}

	boolean isBelow(Ballot other) {
		return compareTo(other) < 0;
	}

}
