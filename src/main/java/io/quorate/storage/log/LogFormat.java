package io.quorate.storage.log;

import java.nio.ByteBuffer;

import io.quorate.entry.Key;
import io.quorate.storage.file.NumberedFiles;
import io.quorate.storage.record.EntryCodec;
import io.quorate.storage.record.StoredEntry;

/**
 * The bytes of a log segment, big-endian: a {@link SegmentHeader}, then {@link Batches}
 * of records. Behind the last batch there are zeros up to the end of the file, or, when
 * the file is reused, bytes of an earlier segment; or nothing.
 */
public final class LogFormat {

	/** The names of the segments' files. */
	public static final NumberedFiles FILES = new NumberedFiles(".log");

	/** Most bytes of a batch of the write-ahead log. */
	public static final int MAX_BATCH = 1 << 20;

	static final int RECORD_HEADER = Short.BYTES + Integer.BYTES;

	private LogFormat() {
	}

	/** Number of bytes of a record. */
	public static int recordSize(Key key, StoredEntry entry) {
		return RECORD_HEADER + key.size() + EntryCodec.size(entry);
	}

	/** Writes a record at the buffer's position. */
	public static void writeRecord(Key key, StoredEntry entry, ByteBuffer to) {
		to.putShort((short) key.size());
		to.putInt(EntryCodec.size(entry));
		to.put(key.array());
		EntryCodec.write(entry, to);
	}

}
