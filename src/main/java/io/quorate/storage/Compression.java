package io.quorate.storage;

/** The compression of the blocks of a table, each by itself. */
public enum Compression {

	/** No compression: blocks are read where they lie. */
	NONE,

	/** Fast. */
	LZ4,

	/** Smaller than LZ4, and slower to write and to read. */
	ZSTD

}
