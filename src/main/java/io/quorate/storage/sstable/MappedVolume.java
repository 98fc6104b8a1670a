package io.quorate.storage.sstable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32C;

import io.quorate.storage.PageVerification;
import io.quorate.storage.StorageCorruptedException;
import org.mapdb.DataInput2;

/**
 * The pages of a finished table in a memory mapping, verified before they are read. Safe
 * for any number of threads until its arena is closed; then every read is an
 * {@link IllegalStateException}.
 * <p>
 * MapDB opens a table with a look at every page; no page is verified then, until
 * {@link #verifyFromNowOn()} is called.
 */
final class MappedVolume extends PartialVolume {

	/*
	 * A page is copied to the heap for its checksum. CRC32C on the mapping itself would
	 * be faster, but its intrinsic is no place where the JVM expects a fault: a disk that
	 * cannot read the page would end the process (SIGBUS) instead of being an
	 * InternalError.
	 */
	private static final int COPY_SIZE_BYTES = 8192;

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

	private final ResidentPages resident;

	private boolean verifying;

	/*
	 * Neither volatile nor of one reader: it only guesses whether somebody goes through
	 * the table.
	 */
	private int latest = -1;

	MappedVolume(Path file, MemorySegment pages, Arena arena, PageChecksums checksums, PageVerification verification) {
		this.file = file;
		this.arena = arena;
		this.pages = pages;
		this.buffer = pages.asByteBuffer();
		this.checksums = checksums;
		this.pageShift = Integer.numberOfTrailingZeros(checksums.pageSizeBytes());
		this.everyRead = verification == PageVerification.EVERY_READ;
		this.verified = new boolean[checksums.pages()];
		this.resident = new ResidentPages(checksums.pages(), (page) -> Residency.isResident(part(page, 1)),
				System::nanoTime);
	}

	/** To be called once, before other threads see the volume. */
	void verifyFromNowOn() {
		this.verifying = true;
		PagingAdvice.random(this.pages);
	}

	/** Compares a page with its checksum. */
	void verify(int page) {
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

	/** Whether reads of a page wait for nothing, not even to verify it. */
	boolean isInMemory(int page) {
		return this.verified[page] && !this.everyRead && this.resident.contains(page);
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
			expectNext(page);
		}
		verifyIfDue(page, true);
		return this.buffer;
	}

	/** The buffer of all pages, for who goes on in one that it may read. */
	ByteBuffer buffer() {
		return this.buffer;
	}

	/** What a page is that the disk cannot give. */
	StorageCorruptedException unreadable(int page, InternalError cause) {
		return new StorageCorruptedException(this.file, (long) page << this.pageShift, "the page cannot be read",
				cause);
	}

	@Override
	public long getLong(long offset) {
		beforeRead(offset);
		return this.buffer.getLong((int) offset);
	}

	@Override
	public int getInt(long offset) {
		beforeRead(offset);
		return this.buffer.getInt((int) offset);
	}

	@Override
	public byte getByte(long offset) {
		beforeRead(offset);
		return this.buffer.get((int) offset);
	}

	@Override
	public DataInput2 getDataInput(long offset, int size) {
		beforeRead(offset);
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

	private void beforeRead(long offset) {
		if (!this.verifying) {
			return;
		}
		int page = Math.toIntExact(offset >>> this.pageShift);
		boolean isEntrance = offset == entranceOf(page);
		if (isEntrance) {
			expectNext(page);
		}
		verifyIfDue(page, isEntrance);
	}

	private void verifyIfDue(int page, boolean isEntered) {
		if (!this.verified[page] || (this.everyRead && isEntered)) {
			verify(page);
		}
	}

	/* Once a page, so that reads within it touch nothing that threads share. */
	private void expectNext(int page) {
		int previous = this.latest;
		if (page == previous) {
			return;
		}
		if (page == previous + 1) {
			announce(page, PAGES_AHEAD);
		}
		this.latest = page;
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
