package io.quorate.storage;

/** How the blocks of a table are compressed, each by itself. */
public enum Compression {

	/** Not at all: read where they lie. */
	NONE,

	/** Quickly. */
	LZ4,

	/** To less than LZ4, and more slowly both ways. */
	ZSTD

}
