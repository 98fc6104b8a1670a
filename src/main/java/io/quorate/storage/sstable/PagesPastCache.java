package io.quorate.storage.sstable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32C;

import io.quorate.storage.file.UncachedReader;

/**
 * The pages of a table for a reader that takes each of them once. A page in memory is
 * copied from there. Any other page is read past the page cache, so that it displaces no
 * page that another reader needs again. Used by one thread.
 */
final class PagesPastCache implements PageCopies {

	private static final int BYTES_AT_ONCE = 256 * 1024;

	private final Path file;

	private final MappedVolume volume;

	private final PageChecksums checksums;

	private final UncachedReader reader;

	private final PageCacheShare share;

	private final ByteBuffer read;

	/* Pages that were read and not copied yet. */
	private int first;

	private int count;

	PagesPastCache(Path file, MappedVolume volume, PageChecksums checksums, UncachedReader reader,
			PageCacheShare share) {
		this.file = file;
		this.volume = volume;
		this.checksums = checksums;
		this.reader = reader;
		this.share = share;
		this.read = ByteBuffer.allocate(Math.max(BYTES_AT_ONCE, checksums.pageSizeBytes()));
	}

	@Override
	public void copy(int page, byte[] to) {
		if (!isRead(page)) {
			if (this.volume.isResident(page)) {
				this.volume.copyAlone(page, to);
				this.share.cached(to.length);
				return;
			}
			if (!readFrom(page)) {
				this.volume.copy(page, to);
				return;
			}
		}
		this.share.uncached(to.length);
		this.read.get((page - this.first) * to.length, to);
		CRC32C crc = new CRC32C();
		crc.update(to);
		this.checksums.require(page, (int) crc.getValue(), this.file);
	}

	private boolean isRead(int page) {
		return page >= this.first && page < this.first + this.count;
	}

	/**
	 * Reads a page, and the pages behind it as far as they are not in memory either.
	 * @return whether that was possible; if not, a read of the mapping shows the reason
	 */
	private boolean readFrom(int page) {
		int size = this.checksums.pageSizeBytes();
		int most = Math.min(this.read.capacity() / size, this.checksums.pages() - page);
		int wanted = 1;
		while (wanted < most && !this.volume.isResident(page + wanted)) {
			wanted++;
		}
		this.count = 0;
		this.read.clear();
		try {
			this.reader.read(this.file, (long) page * size, (long) wanted * size, this.read::put);
		}
		catch (IOException | RuntimeException failure) {
			return false;
		}
		this.first = page;
		this.count = wanted;
		return true;
	}

}
