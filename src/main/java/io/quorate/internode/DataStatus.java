package io.quorate.internode;

/**
 * A node's own report on its data, as it sends it to one peer.
 *
 * @param position latest durable point in the history of its data
 * @param rebuilding whether it is being rebuilt
 * @param incarnation number of times that the whole cluster was restored
 * @param established whether a majority of the members is of this incarnation, and whole:
 * then the incarnation is that of the cluster, and the node follows no other
 * @param purgeHorizon hybrid time: the highest timestamp of an entry that it may have
 * purged
 * @param recalled number of the latest generation of the peer that the node remembers:
 * the peer need not be able to distinguish earlier ones from those of another history
 * @param longestDeadlineMillis longest timeout that its clients' requests may have
 */
public record DataStatus(Position position, boolean rebuilding, long incarnation, boolean established,
		long purgeHorizon, long recalled, long longestDeadlineMillis) {

	/** The status of a node that has no data yet. */
	public static final DataStatus EMPTY = new DataStatus(Position.NONE, false, 0, false, 0, 0, 0);

}
