package io.quorate.entry;

/**
 * The partitions of keys. A key belongs to the partition whose number is in the
 * {@value #BITS} highest bits of {@link Key#hash64()}, so partitions are contiguous
 * ranges of the hash.
 */
public final class Partitions {

	/** Number of partitions, whatever the members. */
	public static final int COUNT = 16_384;

	private static final int BITS = 14;

	private Partitions() {
	}

	/** The partition of a key, from 0. */
	public static int of(Key key) {
		return of(key.hash64());
	}

	/**
	 * The partition of a key, from 0.
	 * @param hash the key's {@link Key#hash64()}
	 */
	public static int of(long hash) {
		return (int) (hash >>> (Long.SIZE - BITS));
	}

}
