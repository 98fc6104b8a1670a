package io.quorate.storage.sstable;

import io.quorate.storage.Compression;
import io.quorate.storage.StorageStartException;
import org.jspecify.annotations.Nullable;

/**
 * Makes the bytes of a block fewer, and the same again. Safe for any number of threads.
 */
interface BlockCodec {

	/** The most bytes that so many can become. */
	int maxPackedSize(int size);

	/**
	 * Packs the bytes at an offset.
	 * @param to has room for {@link #maxPackedSize}
	 * @return how many bytes they have become
	 */
	int pack(byte[] block, int offset, int size, byte[] to);

	/**
	 * Unpacks a block, to the beginning of {@code to}, and never writes behind its size.
	 * @param size what the block had before it was packed
	 * @throws RuntimeException when the bytes are not those of a block of this size
	 */
	void unpack(byte[] packed, int packedSize, byte[] to, int size);

	/**
	 * Of so many blocks that a thread unpacks for a lookup one is worth keeping. To keep
	 * one costs several microseconds, and only what is asked for again and again gives
	 * them back: that is soon among the few.
	 */
	int unpackedForOneKept();

	/**
	 * The codec of a compression, or {@code null} for none.
	 * @throws StorageStartException when its library does not work here
	 */
	static @Nullable BlockCodec of(Compression compression) {
		try {
			return switch (compression) {
				case NONE -> null;
				case LZ4 -> Lz4Codec.INSTANCE;
				case ZSTD -> ZstdCodec.INSTANCE;
			};
		}
		catch (LinkageError unusable) {
			throw new StorageStartException(
					"tables that are compressed with %s can be neither written nor read here: %s".formatted(compression,
							unusable),
					unusable);
		}
	}

}
