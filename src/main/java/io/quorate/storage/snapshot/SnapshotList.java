package io.quorate.storage.snapshot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;

import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.file.ChecksummedFile;
import io.quorate.storage.file.DurableFiles;
import org.jspecify.annotations.Nullable;

/**
 * The list of a snapshot's files: the file {@code SNAPSHOT} in it, written last. A
 * directory without this file is no snapshot.
 * <p>
 * Files that were written for the snapshot have their checksum in the list. Tables and
 * value files have none there: to read all of them would take minutes, and they carry
 * checksums of their own, by which {@link SnapshotCheck} verifies them.
 *
 * @param takenMillis time at which it was taken
 * @param sequence number of the latest arrival in it
 * @param files by their path in the snapshot, without the list itself
 */
public record SnapshotList(long takenMillis, long sequence, Map<String, Listed> files) {

	/** Name of the list. */
	public static final String FILE_NAME = "SNAPSHOT";

	private static final String TAKEN = "taken-millis";

	private static final String SEQUENCE = "sequence";

	private static final String FILE = "file.";

	public SnapshotList {
		files = Collections.unmodifiableMap(new TreeMap<>(files));
	}

	/**
	 * The listing of a file.
	 *
	 * @param checksum CRC32C of all of it, in hexadecimal digits; {@code null} when it
	 * carries its own
	 */
	public record Listed(long sizeBytes, @Nullable String checksum) {

		private static Listed parse(String text) {
			int comma = text.indexOf(',');
			return (comma < 0) ? new Listed(Long.parseLong(text), null)
					: new Listed(Long.parseLong(text, 0, comma, 10), text.substring(comma + 1));
		}

		private String line() {
			return (this.checksum != null) ? this.sizeBytes + "," + this.checksum : Long.toString(this.sizeBytes);
		}

	}

	/** The same list without one file. */
	public SnapshotList without(String path) {
		Map<String, Listed> others = new HashMap<>(this.files);
		others.remove(path);
		return new SnapshotList(this.takenMillis, this.sequence, others);
	}

	/** Bytes of all files. */
	public long sizeBytes() {
		return this.files.values().stream().mapToLong(Listed::sizeBytes).sum();
	}

	/** The listing of a file with checksums of its own. */
	public static Listed linked(Path file) throws IOException {
		return new Listed(Files.size(file), null);
	}

	/** The listing of a small file, with its checksum. */
	public static Listed written(Path file) throws IOException {
		byte[] bytes = Files.readAllBytes(file);
		CRC32C crc = new CRC32C();
		crc.update(bytes);
		return new Listed(bytes.length, HexFormat.of().toHexDigits((int) crc.getValue()));
	}

	/** Writes the list into a snapshot whose files are all there. */
	public void write(Path snapshot) throws IOException {
		Map<String, String> values = new HashMap<>();
		values.put(TAKEN, Long.toString(this.takenMillis));
		values.put(SEQUENCE, Long.toString(this.sequence));
		this.files.forEach((path, listed) -> values.put(FILE + path, listed.line()));
		file(snapshot).write(values);
	}

	/**
	 * Reads the list of a snapshot.
	 * @throws StorageStartException when the directory is no snapshot, or one of a newer
	 * format
	 * @throws StorageCorruptedException when the list is damaged
	 */
	public static SnapshotList read(Path snapshot) {
		ChecksummedFile file = file(snapshot);
		if (snapshot.toString().endsWith(DurableFiles.TEMPORARY_SUFFIX)) {
			throw new StorageStartException("%s is no snapshot: it was never finished".formatted(snapshot), null);
		}
		return switch (file.read()) {
			case ChecksummedFile.Content.Values(var values) -> parse(file.path(), values);
			case ChecksummedFile.Content.Missing _ -> throw new StorageStartException(
					"%s is no snapshot: it has no file %s".formatted(snapshot, FILE_NAME), null);
			case ChecksummedFile.Content.Damaged(var why) ->
				throw new StorageCorruptedException(file.path(), 0, why, null);
		};
	}

	private static ChecksummedFile file(Path snapshot) {
		return new ChecksummedFile(snapshot.resolve(FILE_NAME), "What a snapshot consists of.");
	}

	private static SnapshotList parse(Path file, Map<String, String> values) {
		try {
			Map<String, Listed> files = new HashMap<>();
			values.forEach((name, value) -> {
				if (name.startsWith(FILE)) {
					files.put(name.substring(FILE.length()), Listed.parse(value));
				}
			});
			return new SnapshotList(Long.parseLong(values.getOrDefault(TAKEN, "")),
					Long.parseLong(values.getOrDefault(SEQUENCE, "")), files);
		}
		catch (NumberFormatException wrong) {
			throw new StorageCorruptedException(file, 0, String.valueOf(wrong.getMessage()), wrong);
		}
	}

}
