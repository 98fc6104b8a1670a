package io.quorate.storage.sstable;

import io.quorate.storage.Compression;
import io.quorate.storage.StorageStartException;
import org.jspecify.annotations.Nullable;

/**
 * Compresses the bytes of a block, and decompresses them. Safe for any number of threads.
 */
interface BlockCodec {

	/**
	 * Greatest number of bytes that a block of {@code size} bytes can have when packed.
	 */
	int maxPackedSize(int size);

	/**
	 * Packs the bytes at an offset.
	 * @param to has room for {@link #maxPackedSize}
	 * @return number of packed bytes
	 */
	int pack(byte[] block, int offset, int size, byte[] to);

	/**
	 * Unpacks a block, to the beginning of {@code to}, and never writes behind its size.
	 * @param size size of the block before it was packed
	 * @throws RuntimeException when the bytes are not those of a block of this size
	 */
	void unpack(byte[] packed, int packedSize, byte[] to, int size);

	/**
	 * Number of blocks that a thread unpacks for lookups for each one that it keeps in
	 * the cache. To keep a block costs several microseconds, which only a block that is
	 * read repeatedly earns back: such a block is soon among the few.
	 */
	int unpackedForOneKept();

	/**
	 * The codec of a compression, or {@code null} for none.
	 * @throws StorageStartException when the library of the compression does not work on
	 * this machine
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
