package io.quorate.internode;

/**
 * How it stands with a node's data, as the node itself says.
 *
 * @param durableSequence the highest sequence such that everything up to it is durable
 * @param rebuilding whether it fills its store anew
 * @param incarnation how often the whole cluster was restored
 * @param purgeHorizon hybrid time: the highest stamp of what it may have forgotten
 */
public record Standing(long durableSequence, boolean rebuilding, long incarnation, long purgeHorizon) {

	/** Of a node that has nothing yet. */
	public static final Standing EMPTY = new Standing(0, false, 0, 0);

}
