package io.quorate.storage.sstable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

import io.quorate.storage.StorageCorruptedException;

/** Reads and writes whole blocks of bytes of a file. */
final class Blocks {

	private Blocks() {
	}

	/** The bytes at an offset, in a new buffer on the heap. */
	static ByteBuffer read(FileChannel channel, Path file, long offset, int size) throws IOException {
		ByteBuffer block = ByteBuffer.allocate(size);
		read(channel, file, offset, block);
		return block;
	}

	/** Fills a buffer, to its limit, with the bytes at an offset, and rewinds it. */
	static void read(FileChannel channel, Path file, long offset, ByteBuffer block) throws IOException {
		while (block.hasRemaining()) {
			if (channel.read(block, offset + block.position()) < 0) {
				throw new StorageCorruptedException(file, offset + block.position(), "the file ends here", null);
			}
		}
		block.flip();
	}

	/** Writes the remaining bytes of a buffer at an offset. */
	static void write(FileChannel channel, long offset, ByteBuffer block) throws IOException {
		long position = offset;
		while (block.hasRemaining()) {
			position += channel.write(block, position);
		}
	}

}
