package io.quorate.storage;

/**
 * The format levels, each of which stands for the formats of all files of a node. A
 * program reads the formats of every level up to its newest. It writes those of the level
 * of its directory, which rises when an upgrade of the cluster is finalized: until then
 * the program before can read everything.
 * <p>
 * Level 2 has a {@code NODE} file of format 2, which records the level, so that the
 * program before refuses the directory; and its entries may have content types. Level 3
 * has a file {@code LAYOUT} with the node's votes about the layout of the cluster, which
 * the program before would not heed. A format that the program before cannot read needs a
 * new level.
 */
public final class FormatLevel {

	/**
	 * Level of a new directory, before the node has heard at which level the others are.
	 */
	public static final int UNDECIDED = 0;

	/** Level of the programs that know no levels. */
	public static final int FIRST = 1;

	/** First level whose entries may have content types. */
	public static final int CONTENT_TYPES = 2;

	/** First level whose nodes vote about the layout of the cluster. */
	public static final int LAYOUTS = 3;

	/** Newest level that this program writes. */
	public static final int NEWEST = 3;

	private FormatLevel() {
	}

}
