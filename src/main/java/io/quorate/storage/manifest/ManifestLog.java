package io.quorate.storage.manifest;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.CRC32C;

import io.quorate.storage.StorageStartException;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a manifest, big-endian: a header
 * {@code magic 8 | format version 4 | CRC32C
 * 4}, then edits {@code magic 4 | length 4 | CRC32C 4 | edit}. An edit's checksum covers
 * its offset and its length too, so that no bytes pass for an edit at another place.
 * <p>
 * Each edit is fsynced before the next is written. So only the last can be torn by a
 * crash, and bad bytes with a valid edit anywhere behind them are damage.
 */
final class ManifestLog {

	static final int FORMAT_VERSION = 1;

	static final int HEADER_SIZE = Long.BYTES + 2 * Integer.BYTES;

	static final int FRAME_OVERHEAD = 3 * Integer.BYTES;

	private static final long FILE_MAGIC = 0x51554f524d414e46L;

	private static final int FRAME_MAGIC = 0x51564544;

	private ManifestLog() {
	}

	/**
	 * The content of a manifest.
	 *
	 * @param live the files after all edits
	 * @param sizeBytes offset at which the last whole edit ends
	 * @param tornBytes number of bytes behind it, left there by a crash
	 * @param gone the files that an edit has given up
	 */
	record Contents(LiveFiles live, int sizeBytes, int tornBytes, Gone gone) {
	}

	/**
	 * Files that an edit has given up.
	 *
	 * @param tables numbers of tables
	 * @param valueFiles numbers of value files
	 */
	record Gone(Set<Long> tables, Set<Long> valueFiles) {

		private void add(VersionEdit edit) {
			this.tables.addAll(edit.tables().removed());
			this.tables.addAll(edit.tables().discarded());
			this.valueFiles.addAll(edit.values().removed());
		}

		private void remove(LiveFiles live) {
			this.tables.removeAll(live.tables().keySet());
			this.tables.removeAll(live.aside().keySet());
			this.valueFiles.removeAll(live.valueFiles());
		}

	}

	static ByteBuffer header() {
		ByteBuffer header = ByteBuffer.allocate(HEADER_SIZE).putLong(FILE_MAGIC).putInt(FORMAT_VERSION);
		CRC32C crc = new CRC32C();
		crc.update(header.duplicate().flip());
		return header.putInt((int) crc.getValue()).flip();
	}

	/** The bytes of an edit that is to stand at an offset of the file. */
	static ByteBuffer frame(VersionEdit edit, long offset) throws IOException {
		return frame(EditCodec.toBytes(edit), offset);
	}

	static ByteBuffer frame(byte[] payload, long offset) {
		return ByteBuffer.allocate(FRAME_OVERHEAD + payload.length)
			.putInt(FRAME_MAGIC)
			.putInt(payload.length)
			.putInt(checksum(offset, payload))
			.put(payload)
			.flip();
	}

	/** A whole manifest that records the live files and no earlier edits. */
	static ByteBuffer snapshot(LiveFiles live) throws IOException {
		ByteBuffer edit = frame(live.asEdit(), HEADER_SIZE);
		return ByteBuffer.allocate(HEADER_SIZE + edit.remaining()).put(header()).put(edit).flip();
	}

	/**
	 * Reads a manifest.
	 * @param file for messages
	 */
	static Contents read(Path file, ByteBuffer bytes) {
		readHeader(file, bytes);
		LiveFiles live = LiveFiles.NONE;
		Gone gone = new Gone(new TreeSet<>(), new TreeSet<>());
		int offset = HEADER_SIZE;
		while (offset < bytes.limit()) {
			byte[] payload = payloadAt(bytes, offset);
			if (payload == null) {
				requireNothingValidBehind(file, bytes, offset);
				break;
			}
			live = apply(file, live, payload, offset, gone);
			offset += FRAME_OVERHEAD + payload.length;
		}
		gone.remove(live);
		return new Contents(live, offset, bytes.limit() - offset, gone);
	}

	private static void readHeader(Path file, ByteBuffer bytes) {
		String flaw = headerFlaw(bytes);
		if (flaw != null) {
			throw damaged(file, 0, flaw, null);
		}
		requireReadable(file, bytes);
	}

	/** The fault of the header, or {@code null}. */
	static @Nullable String headerFlaw(ByteBuffer bytes) {
		if (bytes.limit() < HEADER_SIZE || bytes.getLong(0) != FILE_MAGIC) {
			return "it does not begin like a manifest";
		}
		CRC32C crc = new CRC32C();
		crc.update(bytes.slice(0, HEADER_SIZE - Integer.BYTES));
		return (bytes.getInt(HEADER_SIZE - Integer.BYTES) != (int) crc.getValue())
				? "the checksum of its header is wrong" : null;
	}

	/**
	 * The version that an intact header names; refuses a version that is not supported.
	 */
	static int requireReadable(Path file, ByteBuffer bytes) {
		int version = bytes.getInt(Long.BYTES);
		if (version != FORMAT_VERSION) {
			throw StorageStartException.otherFormat(file, version, FORMAT_VERSION);
		}
		return version;
	}

	private static LiveFiles apply(Path file, LiveFiles live, byte[] payload, int offset, Gone gone) {
		try {
			VersionEdit edit = EditCodec.fromBytes(payload);
			gone.add(edit);
			return live.apply(edit);
		}
		catch (IOException | IllegalStateException ex) {
			throw damaged(file, offset, "an edit makes no sense: " + ex.getMessage(), ex);
		}
	}

	private static void requireNothingValidBehind(Path file, ByteBuffer bytes, int badOffset) {
		OptionalInt next = nextEdit(bytes, badOffset);
		if (next.isPresent()) {
			throw damaged(file, badOffset, "the bytes there are no edit, but a valid one follows at " + next.getAsInt(),
					null);
		}
	}

	/** Offset of the next edit behind an offset that has none. */
	static OptionalInt nextEdit(ByteBuffer bytes, int badOffset) {
		for (int offset = badOffset + 1; offset <= bytes.limit() - FRAME_OVERHEAD; offset++) {
			if (payloadAt(bytes, offset) != null) {
				return OptionalInt.of(offset);
			}
		}
		return OptionalInt.empty();
	}

	/** The edit that stands at an offset, or {@code null}. */
	static byte @Nullable [] payloadAt(ByteBuffer bytes, int offset) {
		int available = bytes.limit() - offset - FRAME_OVERHEAD;
		if (available < 0 || bytes.getInt(offset) != FRAME_MAGIC) {
			return null;
		}
		int length = bytes.getInt(offset + Integer.BYTES);
		if (length < 0 || length > available) {
			return null;
		}
		byte[] payload = new byte[length];
		bytes.get(offset + FRAME_OVERHEAD, payload);
		return (bytes.getInt(offset + 2 * Integer.BYTES) == checksum(offset, payload)) ? payload : null;
	}

	private static int checksum(long offset, byte[] payload) {
		CRC32C crc = new CRC32C();
		crc.update(ByteBuffer.allocate(Long.BYTES + Integer.BYTES).putLong(offset).putInt(payload.length).flip());
		crc.update(payload);
		return (int) crc.getValue();
	}

	private static StorageStartException damaged(Path file, long offset, String detail, @Nullable Exception cause) {
		return StorageStartException
			.atRisk("%s is damaged at offset %d: %s. It is not known which tables, value files and".formatted(file,
					offset, detail) + " log segments are live, so any record of this node may be affected", cause);
	}

}
