package io.quorate.storage.sstable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;

import org.jspecify.annotations.Nullable;
import org.mapdb.DataInput2;

/**
 * Takes the pages of a new table one after the other, and writes them to a file through
 * one buffer. Used by one thread. A failure of the file is an
 * {@link UncheckedIOException}.
 * <p>
 * The first page is written last: MapDB completes the header in it at the end.
 */
final class WritingVolume extends PartialVolume {

	private static final int BUFFERED_PAGES = 4;

	private final Path file;

	private final PageCacheShare share;

	private final FileChannel channel;

	private final Arena arena = Arena.ofShared();

	/*
	 * Bytes that one fsync brings to the disk: fsyncs of the log wait as long as that
	 * takes.
	 */
	private static final int UNFORCED_BYTES = 1 << 20;

	private final ByteBuffer buffer;

	private final byte[] firstPage;

	private int[] checksums = new int[16];

	private int pages;

	private long written;

	private long forced;

	WritingVolume(Path file, FileChannel channel, int pageSizeBytes, PageCacheShare share) {
		this.file = file;
		this.share = share;
		this.channel = channel;
		this.firstPage = new byte[pageSizeBytes];
		this.buffer = this.arena.allocate((long) BUFFERED_PAGES * pageSizeBytes).asByteBuffer();
		this.written = pageSizeBytes;
	}

	/** Writes the remaining pages and the first one, and returns the checksums. */
	PageChecksums seal() throws IOException {
		flush();
		this.checksums[0] = checksum(this.firstPage, 0, this.firstPage.length);
		Blocks.write(this.channel, 0, ByteBuffer.wrap(this.firstPage));
		return new PageChecksums(this.firstPage.length, Arrays.copyOf(this.checksums, this.pages));
	}

	@Override
	public void ensureAvailable(long offset) {
	}

	@Override
	public void putData(long offset, byte[] page, int position, int size) {
		if (offset != length() || size != this.firstPage.length) {
			throw new IllegalStateException("%d bytes at %d, a page at %d expected".formatted(size, offset, length()));
		}
		if (offset == 0) {
			System.arraycopy(page, position, this.firstPage, 0, size);
			addChecksum(0);
			return;
		}
		if (this.buffer.remaining() < size) {
			flushUnchecked();
		}
		this.buffer.put(page, position, size);
		addChecksum(checksum(page, position, size));
	}

	@Override
	public void putLong(long offset, long value) {
		if (offset > HEADER_SIZE_BYTES - Long.BYTES) {
			throw new IllegalStateException("%d is behind the header".formatted(offset));
		}
		ByteBuffer.wrap(this.firstPage).putLong((int) offset, value);
	}

	/**
	 * Does nothing: the file is fsynced as it grows, and by the builder when it is
	 * complete.
	 */
	@Override
	public void sync() {
	}

	@Override
	public long getLong(long offset) {
		return read(offset, Long.BYTES).getLong();
	}

	@Override
	public int getInt(long offset) {
		return read(offset, Integer.BYTES).getInt();
	}

	@Override
	public byte getByte(long offset) {
		return read(offset, Byte.BYTES).get();
	}

	@Override
	public DataInput2 getDataInput(long offset, int size) {
		return new DataInput2.ByteBuffer(read(offset, size), 0);
	}

	@Override
	public long length() {
		return (long) this.pages * this.firstPage.length;
	}

	@Override
	public boolean isReadOnly() {
		return false;
	}

	/** Releases the buffer; the builder closes the file's channel. */
	@Override
	public void close() {
		if (this.closed.compareAndSet(false, true)) {
			this.arena.close();
		}
	}

	private ByteBuffer read(long offset, int size) {
		if (offset < this.firstPage.length) {
			return ByteBuffer.wrap(this.firstPage, (int) offset, size).slice();
		}
		flushUnchecked();
		try {
			return Blocks.read(this.channel, this.file, offset, size);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void flushUnchecked() {
		try {
			flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void flush() throws IOException {
		this.buffer.flip();
		int size = this.buffer.remaining();
		Blocks.write(this.channel, this.written, this.buffer);
		this.written += size;
		this.buffer.clear();
		if (this.written - this.forced >= UNFORCED_BYTES) {
			this.channel.force(false);
			forced();
		}
	}

	/**
	 * To be called when the file was fsynced. As no reader needs the pages before the
	 * table is complete, they would displace other pages that are read again.
	 */
	void forced() {
		if (this.share.isUncached()) {
			CacheAdvice.dontNeed(this.file, this.forced, this.written - this.forced);
		}
		this.forced = this.written;
	}

	private void addChecksum(int checksum) {
		if (this.pages == this.checksums.length) {
			this.checksums = Arrays.copyOf(this.checksums, this.pages * 2);
		}
		this.checksums[this.pages++] = checksum;
	}

	private static int checksum(byte[] page, int position, int size) {
		CRC32C crc = new CRC32C();
		crc.update(page, position, size);
		return (int) crc.getValue();
	}

	/**
	 * Tells the kernel which parts of a file need not stay in the page cache
	 * ({@code posix_fadvise}). Advice only: where it cannot be given, the parts stay
	 * until something else needs the room.
	 */
	private static final class CacheAdvice {

		private static final int READ_ONLY = 0;

		/* The same value on Linux and FreeBSD; macOS has no such function. */
		private static final int DONT_NEED = 4;

		private static final @Nullable CacheAdvice ADVICE = find();

		private final MethodHandle open;

		private final MethodHandle advise;

		private final MethodHandle close;

		private CacheAdvice(MethodHandle open, MethodHandle advise, MethodHandle close) {
			this.open = open;
			this.advise = advise;
			this.close = close;
		}

		/**
		 * Releases a durable part of a file from the page cache; dirty pages stay there.
		 */
		static void dontNeed(Path file, long offset, long length) {
			if (ADVICE == null) {
				return;
			}
			try (Arena arena = Arena.ofConfined()) {
				ADVICE.give(arena.allocateFrom(file.toString()), offset, length);
			}
			catch (RuntimeException | Error fault) {
				throw fault;
			}
			catch (Throwable impossible) {
				throw new IllegalStateException("a call of the C library has thrown", impossible);
			}
		}

		/* An error means that the kernel ignores the advice, which needs no handling. */
		private void give(MemorySegment path, long offset, long length) throws Throwable {
			int descriptor = (int) this.open.invokeExact(path, READ_ONLY);
			if (descriptor >= 0) {
				int _ = (int) this.advise.invokeExact(descriptor, offset, length, DONT_NEED);
				int _ = (int) this.close.invokeExact(descriptor);
			}
		}

		@SuppressWarnings("restricted") // allowed by --enable-native-access, a warning
										// elsewhere
		private static @Nullable CacheAdvice find() {
			Linker linker = Linker.nativeLinker();
			SymbolLookup library = linker.defaultLookup();
			MemorySegment advise = library.find("posix_fadvise").orElse(null);
			MemorySegment open = library.find("open").orElse(null);
			MemorySegment close = library.find("close").orElse(null);
			if (advise == null || open == null || close == null) {
				return null;
			}
			return new CacheAdvice(
					linker.downcallHandle(open,
							FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
							Linker.Option.firstVariadicArg(2)),
					linker.downcallHandle(advise,
							FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG,
									ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT)),
					linker.downcallHandle(close, FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT)));
		}

	}

}
