package io.quorate.repair.hint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

import io.quorate.storage.file.Channels;
import io.quorate.storage.file.DurableFiles;
import io.quorate.storage.log.Batches;

/**
 * The position of a handoff: a segment, and the offset up to which its hints are handed
 * over. The file is overwritten in place without fsync: after an older or broken one
 * hints are only handed over again.
 */
record Position(long segment, long offset) {

	static final String FILE_NAME = "POSITION";

	static final Position START = new Position(0, 0);

	private static final int SIZE = 2 * Long.BYTES + Integer.BYTES;

	/** Reads the position that was saved last, or the start. */
	static Position load(Path directory) throws IOException {
		Path file = directory.resolve(FILE_NAME);
		if (!Files.exists(file)) {
			return START;
		}
		ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
		if (bytes.limit() != SIZE || bytes.getInt(SIZE - Integer.BYTES) != crc(bytes)) {
			return START;
		}
		Position position = new Position(bytes.getLong(0), bytes.getLong(Long.BYTES));
		boolean isPlace = position.offset >= 0 && position.offset % Batches.ALIGNMENT == 0;
		return isPlace ? position : START;
	}

	void save(Path directory) throws IOException {
		ByteBuffer bytes = ByteBuffer.allocate(SIZE).putLong(this.segment).putLong(this.offset);
		bytes.putInt(crc(bytes)).flip();
		try (FileChannel channel = Channels.open(directory.resolve(FILE_NAME), StandardOpenOption.CREATE,
				StandardOpenOption.WRITE)) {
			DurableFiles.writeFully(channel, bytes, 0);
		}
	}

	private static int crc(ByteBuffer bytes) {
		CRC32C crc = new CRC32C();
		crc.update(bytes.slice(0, SIZE - Integer.BYTES));
		return (int) crc.getValue();
	}

}
