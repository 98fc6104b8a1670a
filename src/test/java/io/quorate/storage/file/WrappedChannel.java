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

/** A channel that does as another one does, but for what a test changes. */
abstract class WrappedChannel extends FileChannel {

	final FileChannel channel;

	WrappedChannel(FileChannel channel) {
		this.channel = channel;
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
	public int write(ByteBuffer source) throws IOException {
		int written = write(source, this.channel.position());
		this.channel.position(this.channel.position() + written);
		return written;
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
