package io.quorate.repair.comparison;

/**
 * Observes one pass of a comparison over the entries after each of its steps: keys read,
 * ranges that differ, bytes and entries transferred. May delay the pass by not returning,
 * and end it with a {@link ComparisonFailedException}.
 */
public interface PassObserver {

	/** The kinds of bytes that are transferred. */
	enum Kind {

		/** Hashes of ranges. */
		HASHES,

		/** Keys and headers. */
		HEADERS,

		/** Entries with their values. */
		ENTRIES

	}

	/**
	 * Headers of this node's store were read.
	 * @param keys number of entries
	 * @param bytes number of their bytes
	 */
	void read(int keys, long bytes);

	/** Ranges of the finest kind were found to differ. */
	void differing(int ranges);

	/** Bytes went to the other node, or came from it, for a question. */
	void transferred(Kind kind, long bytes);

	/**
	 * The other node has answered a question, or has taken the entries of a batch, whose
	 * bytes were all counted before.
	 */
	void answered();

	/** The other node has received entries. */
	void sent(int entries);

	/** Entries of this node that both nodes must hold were compared, differing or not. */
	void compared(long entries);

	/** This node has received entries. */
	void received(int entries);

}
