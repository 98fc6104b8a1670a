package io.quorate.storage.file;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.TreeMap;

/**
 * A disk that has, of one file, what was brought to it by a force that succeeded. One
 * that fails leaves in the page cache (the file itself) what it was to force, and no
 * later one brings that to the disk unless it is written again.
 */
public final class DroppingDisk implements Disk, AutoCloseable {

	private final Path file;

	private final TreeMap<Long, byte[]> dirty = new TreeMap<>();

	private byte[] content = new byte[0];

	private boolean fails;

	/** A disk with that file. */
	public DroppingDisk(Path file) {
		this.file = file.toAbsolutePath().normalize();
		Channels.use(this);
	}

	/** What is in the file now is on the disk. */
	public void isSound() throws IOException {
		this.dirty.clear();
		this.content = Files.readAllBytes(this.file);
	}

	/** The next force fails. */
	public void failNextForce() {
		this.fails = true;
	}

	/** What a machine that stops finds in the file when it is back. */
	public byte[] content() {
		return this.content.clone();
	}

	@Override
	public void close() {
		Channels.use(SYSTEM);
	}

	@Override
	public FileChannel open(Path path, OpenOption... options) throws IOException {
		FileChannel channel = SYSTEM.open(path, options);
		return path.toAbsolutePath().normalize().equals(this.file) ? new Cached(channel) : channel;
	}

	@Override
	public void move(Path from, Path to) throws IOException {
		SYSTEM.move(from, to);
	}

	@Override
	public void link(Path name, Path of) throws IOException {
		SYSTEM.link(name, of);
	}

	@Override
	public void delete(Path path) throws IOException {
		SYSTEM.delete(path);
	}

	@Override
	public void makeDirectory(Path directory) throws IOException {
		SYSTEM.makeDirectory(directory);
	}

	private void forced() throws IOException {
		if (this.fails) {
			this.fails = false;
			this.dirty.clear();
			throw new IOException("Input/output error");
		}
		this.dirty.forEach((at, bytes) -> {
			int end = (int) (at + bytes.length);
			this.content = (end > this.content.length) ? Arrays.copyOf(this.content, end) : this.content;
			System.arraycopy(bytes, 0, this.content, at.intValue(), bytes.length);
		});
		this.dirty.clear();
	}

	/** The file as processes see it. */
	private final class Cached extends FileChannel {

		private final FileChannel channel;

		private Cached(FileChannel channel) {
			this.channel = channel;
		}

		@Override
		public int write(ByteBuffer source, long position) throws IOException {
			byte[] bytes = new byte[source.remaining()];
			source.get(source.position(), bytes);
			int written = this.channel.write(source, position);
			DroppingDisk.this.dirty.put(position, Arrays.copyOf(bytes, written));
			return written;
		}

		@Override
		public void force(boolean metaData) throws IOException {
			forced();
		}

		@Override
		public FileChannel truncate(long size) throws IOException {
			this.channel.truncate(size);
			return this;
		}

		@Override
		public int read(ByteBuffer target) throws IOException {
			return this.channel.read(target);
		}

		@Override
		public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
			return this.channel.read(targets, offset, length);
		}

		@Override
		public int read(ByteBuffer target, long position) throws IOException {
			return this.channel.read(target, position);
		}

		@Override
		public int write(ByteBuffer source) {
			throw new UnsupportedOperationException("the store writes at positions");
		}

		@Override
		public long write(ByteBuffer[] sources, int offset, int length) {
			throw new UnsupportedOperationException("the store writes at positions");
		}

		@Override
		public long position() throws IOException {
			return this.channel.position();
		}

		@Override
		public FileChannel position(long position) throws IOException {
			this.channel.position(position);
			return this;
		}

		@Override
		public long size() throws IOException {
			return this.channel.size();
		}

		@Override
		public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
			return this.channel.transferTo(position, count, target);
		}

		@Override
		public long transferFrom(ReadableByteChannel source, long position, long count) {
			throw new UnsupportedOperationException("the store writes at positions");
		}

		@Override
		public MappedByteBuffer map(MapMode mode, long position, long size) throws IOException {
			return this.channel.map(mode, position, size);
		}

		@Override
		public MemorySegment map(MapMode mode, long offset, long size, Arena arena) throws IOException {
			return this.channel.map(mode, offset, size, arena);
		}

		@Override
		public FileLock lock(long position, long size, boolean shared) throws IOException {
			return this.channel.lock(position, size, shared);
		}

		@Override
		public FileLock tryLock(long position, long size, boolean shared) throws IOException {
			return this.channel.tryLock(position, size, shared);
		}

		@Override
		protected void implCloseChannel() throws IOException {
			this.channel.close();
		}

	}

}
