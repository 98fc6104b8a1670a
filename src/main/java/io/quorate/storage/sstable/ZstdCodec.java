package io.quorate.storage.sstable;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import io.quorate.storage.record.MalformedEntryException;

/*
 * A context has memory outside the heap that only its user frees, and costs more to make
 * than a block costs to unpack: some contexts are kept.
 */
/** The Zstandard codec, by its native library. */
final class ZstdCodec implements BlockCodec {

	static final ZstdCodec INSTANCE = new ZstdCodec();

	private static final int LEVEL = 3;

	private static final int MOST_KEPT = 16;

	private final BlockingQueue<ZstdCompressCtx> compressors = new ArrayBlockingQueue<>(MOST_KEPT);

	private final BlockingQueue<ZstdDecompressCtx> decompressors = new ArrayBlockingQueue<>(MOST_KEPT);

	private ZstdCodec() {
		// Loads the library now, or fails.
		new ZstdDecompressCtx().close();
	}

	@Override
	public int unpackedForOneKept() {
		return 16;
	}

	@Override
	public int maxPackedSize(int size) {
		return Math.toIntExact(Zstd.compressBound(size));
	}

	@Override
	public int pack(byte[] block, int offset, int size, byte[] to) {
		ZstdCompressCtx kept = this.compressors.poll();
		ZstdCompressCtx context = (kept != null) ? kept
				: new ZstdCompressCtx().setLevel(LEVEL).setContentSize(false).setChecksum(false);
		try {
			return context.compressByteArray(to, 0, to.length, block, offset, size);
		}
		finally {
			if (!this.compressors.offer(context)) {
				context.close();
			}
		}
	}

	@Override
	public void unpack(byte[] packed, int packedSize, byte[] to, int size) {
		ZstdDecompressCtx kept = this.decompressors.poll();
		ZstdDecompressCtx context = (kept != null) ? kept : new ZstdDecompressCtx();
		try {
			int unpacked = context.decompressByteArray(to, 0, size, packed, 0, packedSize);
			if (unpacked != size) {
				throw new MalformedEntryException("a block of %d bytes, %d expected".formatted(unpacked, size));
			}
		}
		finally {
			if (!this.decompressors.offer(context)) {
				context.close();
			}
		}
	}

}
