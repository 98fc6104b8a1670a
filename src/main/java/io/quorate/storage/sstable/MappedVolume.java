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
 * for any number of threads until its arena is closed; then every read fails with an
 * {@link IllegalStateException}.
 * <p>
 * The bytes that MapDB reads itself, to open a table, are not verified here: see
 * {@link PageIndex#checksum()}.
 */
final class MappedVolume extends PartialVolume {

	/*
	 * A page is copied to the heap for its checksum. CRC32C on the mapping itself would
	 * be faster, but the JVM expects no fault in its intrinsic: a disk that cannot read
	 * the page would end the process (SIGBUS) instead of causing an InternalError.
	 */
	private static final int COPY_SIZE_BYTES = 8192;

	/* The part of a page that holds its first key, if that is not uncommonly long. */
	private static final int BEGINNING_SIZE_BYTES = 4096;

	/* Pages that are announced at once to the kernel for a sequential reader. */
	private static final int PAGES_AHEAD = 4;

	private final Path file;

	private final Arena arena;

	private final MemorySegment pages;

	private final ByteBuffer buffer;

	private final PageChecksums checksums;

	private final int pageShift;

	private final boolean everyRead;

	/*
	 * Not volatile: a thread that does not see the mark of another thread verifies the
	 * page once more.
	 */
	private final boolean[] verified;

	private final IntPredicate isResident;

	private final ResidentPages resident;

	/*
	 * The page that any thread has read last. Not volatile: it only serves to guess
	 * whether a reader goes through the table.
	 */
	private int latest = -1;

	MappedVolume(Path file, MemorySegment pages, Arena arena, PageChecksums checksums, PageVerification verification) {
		this(file, pages, arena, checksums, verification, null);
	}

	/**
	 * A volume of the pages of a mapping.
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

	Path file() {
		return this.file;
	}

	/**
	 * Announces to the kernel that MapDB is going to read the beginning of each page, to
	 * open a table. The kernel then fetches many of these at a time, and nothing else. To
	 * be called once, before the first read.
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
	 * Copies a page, and compares the copy with its checksum, even if the page was
	 * verified before.
	 */
	void copy(int page, byte[] to) {
		if (!expectNext(page)) {
			announce(page, 1);
		}
		copyAlone(page, to);
	}

	/** Copies a page that is in memory likewise, and announces nothing to the kernel. */
	void copyAlone(int page, byte[] to) {
		this.verified[page] = false;
		this.buffer.get(startOf(page), to);
		CRC32C crc = new CRC32C();
		crc.update(to);
		this.checksums.require(page, (int) crc.getValue(), this.file);
		this.verified[page] = true;
	}

	/**
	 * Whether reads of a page wait for nothing, not even to verify it. A page that has
	 * left memory is verified when it comes back, because the disk may have changed it
	 * since.
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

	/** Offset in the buffer at which a page begins. */
	int startOf(int page) {
		return page << this.pageShift;
	}

	/**
	 * Offset in the buffer of a page's number of nodes, which every lookup and every
	 * cursor reads once, before anything else of the page.
	 */
	int entranceOf(int page) {
		return (page == 0) ? HEADER_SIZE_BYTES : startOf(page);
	}

	/** The buffer of all pages, of which a lookup may read this one now. */
	ByteBuffer read(int page) {
		// After a page that was in memory no other is announced: for that, lookups in
		// different threads would share a field. The page may have left memory since.
		if (!this.resident.wasThere(page)) {
			var _ = expectNext(page);
		}
		if (!this.verified[page] || this.everyRead) {
			verify(page);
		}
		return this.buffer;
	}

	/** The buffer of all pages, for a caller that goes on in a page that it may read. */
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
	 * Called once a page, so that reads within the page touch nothing that threads share.
	 * Returns whether it has announced the page.
	 */
	private boolean expectNext(int page) {
		int previous = this.latest;
		this.latest = page;
		if (page != previous + 1) {
			return false;
		}
		for (int next = page; next < Math.min(page + PAGES_AHEAD, this.verified.length); next++) {
			// A page that comes into memory is verified before it is read, also by a
			// reader that finds it there.
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
