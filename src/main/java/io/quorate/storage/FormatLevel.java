package io.quorate.storage;

/**
 * The format levels, each of which stands for the formats of all files of a node. A
 * program reads the formats of every level up to its newest. It writes those of the level
 * of its directory, which rises when an upgrade of the cluster is finalized: until then
 * the program before can read everything. A format that the program before cannot read
 * needs a new level, and a new version of the protocol between members of the same
 * number.
 */
public final class FormatLevel {

	/**
	 * Level of a new directory, before the node has heard at which level the others are.
	 */
	public static final int UNDECIDED = 0;

	/** The first level. */
	public static final int FIRST = 1;

	/**
	 * Newest level that this program writes. Tests plant a later program by the property.
	 */
	public static final int NEWEST = Integer.getInteger("io.quorate.planted-format-level", FIRST);

	private FormatLevel() {
	}

}
