package io.quorate.storage.sstable;

import io.quorate.storage.record.MalformedEntryException;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/*
 * The decompressor is the one that checks its bounds on both sides. The implementation is
 * chosen here, because the library's own choice depends on the class loader: the same jar
 * would get one when it is started whole and another when it is started in pieces.
 */
/** The LZ4 codec, by its native library, or in Java where that cannot be loaded. */
final class Lz4Codec implements BlockCodec {

	static final Lz4Codec INSTANCE = new Lz4Codec(factory());

	private final LZ4Compressor compressor;

	private final LZ4SafeDecompressor decompressor;

	Lz4Codec(LZ4Factory factory) {
		this.compressor = factory.fastCompressor();
		this.decompressor = factory.safeDecompressor();
	}

	@Override
	public int unpackedForOneKept() {
		return 256;
	}

	@Override
	public int maxPackedSize(int size) {
		return this.compressor.maxCompressedLength(size);
	}

	@Override
	public int pack(byte[] block, int offset, int size, byte[] to) {
		return this.compressor.compress(block, offset, size, to, 0, to.length);
	}

	@Override
	public void unpack(byte[] packed, int packedSize, byte[] to, int size) {
		int unpacked = this.decompressor.decompress(packed, 0, packedSize, to, 0, size);
		if (unpacked != size) {
			throw new MalformedEntryException("a block of %d bytes, %d expected".formatted(unpacked, size));
		}
	}

	private static LZ4Factory factory() {
		try {
			return LZ4Factory.nativeInstance();
		}
		catch (LinkageError | RuntimeException | AssertionError unavailable) {
			return LZ4Factory.safeInstance();
		}
	}

}
