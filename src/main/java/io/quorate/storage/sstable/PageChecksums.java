package io.quorate.storage.sstable;

import java.nio.ByteBuffer;
import java.nio.file.Path;

import io.quorate.storage.StorageCorruptedException;

/** The CRC32C of each page of a table, immutable. */
final class PageChecksums {

	private final int pageSizeBytes;

	private final int[] checksums;

	PageChecksums(int pageSizeBytes, int[] checksums) {
		this.pageSizeBytes = pageSizeBytes;
		this.checksums = checksums.clone();
	}

	int pageSizeBytes() {
		return this.pageSizeBytes;
	}

	int pages() {
		return this.checksums.length;
	}

	/** Bytes of all pages together. */
	long sizeBytes() {
		return (long) this.pageSizeBytes * this.checksums.length;
	}

	/** Fails when the checksum computed of a page is not the one that was written. */
	void require(int page, int computed, Path file) {
		if (this.checksums[page] != computed) {
			throw new StorageCorruptedException(file, (long) page * this.pageSizeBytes,
					"page %d has checksum %08x, %08x was written".formatted(page, computed, this.checksums[page]),
					null);
		}
	}

	void write(ByteBuffer to) {
		to.putInt(this.pageSizeBytes).putInt(this.checksums.length);
		for (int checksum : this.checksums) {
			to.putInt(checksum);
		}
	}

	int encodedSizeBytes() {
		return Integer.BYTES * (2 + this.checksums.length);
	}

	static PageChecksums read(ByteBuffer from) {
		int pageSizeBytes = from.getInt();
		int[] checksums = new int[from.getInt()];
		for (int i = 0; i < checksums.length; i++) {
			checksums[i] = from.getInt();
		}
		return new PageChecksums(pageSizeBytes, checksums);
	}

}
