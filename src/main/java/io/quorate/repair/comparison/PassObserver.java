package io.quorate.repair.comparison;

/**
 * Is told what a pass does, as soon as it has done it. May hold it up by not returning,
 * and end it with a {@link ComparisonFailedException}.
 */
public interface PassObserver {

	/** What goes over the wire. */
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
	 * @param keys how many entries
	 * @param bytes how many bytes
	 */
	void read(int keys, long bytes);

	/** Ranges of the finest kind were found to differ. */
	void differing(int ranges);

	/** Bytes went to the other node, or came from it. */
	void transferred(Kind kind, long bytes);

	/** The other node has got entries. */
	void sent(int entries);

	/** This node has got entries. */
	void received(int entries);

}
