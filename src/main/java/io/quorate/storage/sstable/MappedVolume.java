package io.quorate.storage.sstable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.IntPredicate;
import java.util.zip.CRC32C;

import io.quorate.storage.PageVerification;
import org.jspecify.annotations.Nullable;
import org.mapdb.DataInput2;

/**
 * The pages of a finished table in a memory mapping, verified before they are read. Safe
 * for any number of threads until its arena is closed; then every read is an
 * {@link IllegalStateException}.
 * <p>
 * What MapDB reads itself, to open a table, is not verified here: see
 * {@link PageIndex#checksum()}.
 */
final class MappedVolume extends PartialVolume {

	/*
	 * A page is copied to the heap for its checksum. CRC32C on the mapping itself would
	 * be faster, but its intrinsic is no place where the JVM expects a fault: a disk that
	 * cannot read the page would end the process (SIGBUS) instead of being an
	 * InternalError.
	 */
	private static final int COPY_SIZE_BYTES = 8192;

	/* Where the first key of a page is, if it is not uncommonly long. */
	private static final int BEGINNING_SIZE_BYTES = 4096;

	/* For who reads page after page. */
	private static final int PAGES_AHEAD = 4;

	private final Path file;

	private final Arena arena;

	private final MemorySegment pages;

	private final ByteBuffer buffer;

	private final PageChecksums checksums;

	private final int pageShift;

	private final boolean everyRead;

	/*
	 * Not volatile: a thread that does not see the mark of another verifies the page once
	 * more.
	 */
	private final boolean[] verified;

	private final IntPredicate isResident;

	private final ResidentPages resident;

	/*
	 * Neither volatile nor of one reader: it only guesses whether somebody goes through
	 * the table.
	 */
	private int latest = -1;

	MappedVolume(Path file, MemorySegment pages, Arena arena, PageChecksums checksums, PageVerification verification) {
		this(file, pages, arena, checksums, verification, null);
	}

	/**
	 * Pages of a mapping.
	 * @param isResident whether all of a page is in memory now, {@code null} to ask the
	 * kernel
	 */
	MappedVolume(Path file, MemorySegment pages, Arena arena, PageChecksums checksums, PageVerification verification,
			@Nullable IntPredicate isResident) {
		this.file = file;
		this.arena = arena;
		this.pages = pages;
		this.buffer = pages.asByteBuffer();
		this.checksums = checksums;
		this.pageShift = Integer.numberOfTrailingZeros(checksums.pageSizeBytes());
		this.everyRead = verification == PageVerification.EVERY_READ;
		this.verified = new boolean[checksums.pages()];
		this.isResident = (isResident != null) ? isResident : (page) -> Residency.isResident(part(page, 1));
		this.resident = new ResidentPages(checksums.pages(), this.isResident, System::nanoTime);
	}

	/**
	 * To be called once, before anything is read: MapDB reads the beginning of each page
	 * to open a table. The kernel fetches those many at a time, and nothing else.
	 */
	void opening() {
		PagingAdvice.random(this.pages);
		for (int page = 0; page < this.verified.length; page++) {
			PagingAdvice.willNeed(this.pages.asSlice(startOf(page), BEGINNING_SIZE_BYTES));
		}
	}

	/** Compares a page with its checksum. */
	void verify(int page) {
		this.verified[page] = false;
		announce(page, 1);
		CRC32C crc = new CRC32C();
		byte[] copy = new byte[COPY_SIZE_BYTES];
		int start = startOf(page);
		for (int done = 0; done < this.checksums.pageSizeBytes(); done += copy.length) {
			this.buffer.get(start + done, copy);
			crc.update(copy);
		}
		this.checksums.require(page, (int) crc.getValue(), this.file);
		this.verified[page] = true;
	}

	/**
	 * Copies a page, and compares with its checksum what was copied, whatever is known of
	 * the page.
	 */
	void copy(int page, byte[] to) {
		if (!expectNext(page)) {
			announce(page, 1);
		}
		copyAlone(page, to);
	}

	/** Copies a page likewise, and has nothing fetched: it is in memory. */
	void copyAlone(int page, byte[] to) {
		this.verified[page] = false;
		this.buffer.get(startOf(page), to);
		CRC32C crc = new CRC32C();
		crc.update(to);
		this.checksums.require(page, (int) crc.getValue(), this.file);
		this.verified[page] = true;
	}

	/**
	 * Whether reads of a page wait for nothing, not even to verify it. One that has left
	 * memory is verified when it comes back: it is not what was verified before, but what
	 * the disk has made of it since.
	 */
	boolean isInMemory(int page) {
		if (!this.verified[page] || this.everyRead) {
			return false;
		}
		boolean there = this.resident.contains(page);
		if (!there) {
			this.verified[page] = false;
		}
		return there;
	}

	/** Whether all of a page is in memory now. */
	boolean isResident(int page) {
		return this.isResident.test(page);
	}

	/** Where a page begins in the buffer. */
	int startOf(int page) {
		return page << this.pageShift;
	}

	/**
	 * Where a page's number of nodes stands in the buffer, which every lookup and every
	 * cursor reads once, first of all, when it comes to a page.
	 */
	int entranceOf(int page) {
		return (page == 0) ? HEADER_SIZE_BYTES : startOf(page);
	}

	/** The buffer of all pages, of which this one may be read now for a lookup. */
	ByteBuffer read(int page) {
		// What follows a page that was in memory need not be announced: that would be
		// something that lookups in different threads share. It may have gone since.
		if (!this.resident.wasThere(page)) {
			var _ = expectNext(page);
		}
		if (!this.verified[page] || this.everyRead) {
			verify(page);
		}
		return this.buffer;
	}

	/** The buffer of all pages, for who goes on in one that it may read. */
	ByteBuffer buffer() {
		return this.buffer;
	}

	@Override
	public long getLong(long offset) {
		return this.buffer.getLong((int) offset);
	}

	@Override
	public int getInt(long offset) {
		return this.buffer.getInt((int) offset);
	}

	@Override
	public byte getByte(long offset) {
		return this.buffer.get((int) offset);
	}

	@Override
	public DataInput2 getDataInput(long offset, int size) {
		return new DataInput2.ByteBuffer(this.buffer, Math.toIntExact(offset));
	}

	@Override
	public long length() {
		return this.buffer.capacity();
	}

	@Override
	public boolean isReadOnly() {
		return true;
	}

	@Override
	public void close() {
		if (this.closed.compareAndSet(false, true)) {
			this.arena.close();
		}
	}

	/*
	 * Once a page, so that reads within it touch nothing that threads share. Says whether
	 * it has announced the page.
	 */
	private boolean expectNext(int page) {
		int previous = this.latest;
		this.latest = page;
		if (page != previous + 1) {
			return false;
		}
		for (int next = page; next < Math.min(page + PAGES_AHEAD, this.verified.length); next++) {
			// What comes into memory is verified before it is read, also by who finds it
			// there.
			if (this.verified[next] && !isResident(next)) {
				this.verified[next] = false;
			}
		}
		announce(page, PAGES_AHEAD);
		return true;
	}

	private void announce(int page, int count) {
		PagingAdvice.willNeed(part(page, count));
	}

	private MemorySegment part(int page, int count) {
		long start = (long) page << this.pageShift;
		long size = Math.min((long) count << this.pageShift, this.pages.byteSize() - start);
		return this.pages.asSlice(start, size);
	}

}
