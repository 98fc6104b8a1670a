package io.quorate.internode;

/**
 * How it stands with a node's data, as the node itself says to one peer.
 *
 * @param position how far its data is
 * @param rebuilding whether it fills its store anew
 * @param incarnation how often the whole cluster was restored
 * @param established whether a majority of the members is of this incarnation, and whole:
 * the cluster lives in it, and the node follows no other
 * @param purgeHorizon hybrid time: the highest stamp of what it may have forgotten
 * @param recalled number of the latest generation of the peer that it remembers: the peer
 * need not be able to tell earlier ones from those of another history
 * @param longestDeadlineMillis longest deadline that its clients' requests may have
 */
public record DataStatus(Position position, boolean rebuilding, long incarnation, boolean established,
		long purgeHorizon, long recalled, long longestDeadlineMillis) {

	/** Of a node that has nothing yet. */
	public static final DataStatus EMPTY = new DataStatus(Position.NONE, false, 0, false, 0, 0, 0);

}
