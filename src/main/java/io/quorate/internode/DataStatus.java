package io.quorate.internode;

/**
 * A node's own report on its data, as it sends it to one peer.
 *
 * @param position latest durable point in the history of its data
 * @param rebuilding whether it is being rebuilt
 * @param incarnation the incarnation of the cluster to which the node belongs
 * @param purgeHorizon hybrid time: the highest timestamp of an entry that it may have
 * purged
 * @param recalled number of the latest generation of the peer that the node remembers:
 * the peer need not be able to distinguish earlier ones from those of another history
 * @param longestDeadlineMillis longest timeout that its clients' requests may have
 */
public record DataStatus(Position position, boolean rebuilding, Incarnation incarnation, long purgeHorizon,
		long recalled, long longestDeadlineMillis) {

	/** The incarnation of a node that has not learned the number yet. */
	public static final long UNKNOWN_INCARNATION = -1;

	/** The status of a node that has no data yet. */
	public static final DataStatus EMPTY = new DataStatus(Position.NONE, false,
			new Incarnation(UNKNOWN_INCARNATION, 0, false), 0, 0, 0);

	/**
	 * An incarnation of the cluster, as a node knows it.
	 *
	 * @param number number of times that the whole cluster was restored, or
	 * {@link #UNKNOWN_INCARNATION}
	 * @param history number that all incarnations of one cluster have in common, 0 if it
	 * is not known
	 * @param established whether this node and other members than the peer are a majority
	 * of the members, connected and none of them being rebuilt, in this incarnation: then
	 * it is that of the cluster
	 */
	public record Incarnation(long number, long history, boolean established) {
	}

}
