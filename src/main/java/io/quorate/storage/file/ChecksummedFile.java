package io.quorate.storage.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

import io.quorate.storage.StorageStartException;

/**
 * A small file of names and values, one a line, whose last line is a checksum over the
 * lines before. It is replaced as a whole: after any crash it is as before or as after.
 * One of the values is the version of the file's format.
 *
 * @param path path of the file
 * @param purpose first line, for people
 */
public record ChecksummedFile(Path path, String purpose) {

	private static final String CHECKSUM = "crc32c=";

	private static final String FORMAT = "format";

	private static final int FORMAT_VERSION = 1;

	/** The content that a read finds. */
	public sealed interface Content {

		/** The values by their names. */
		record Values(Map<String, String> byName) implements Content {
		}

		/** There is no file. */
		record Missing() implements Content {
		}

		/** The file exists, but not as it was written. */
		record Damaged(String why) implements Content {
		}

	}

	/**
	 * Reads the file. An error of the disk counts as damage, too.
	 * @throws StorageStartException when a newer program wrote it
	 */
	public Content read() {
		try {
			Content content = parse(Files.readString(this.path));
			if (content instanceof Content.Values(var values)) {
				requireReadable(values.getOrDefault(FORMAT, ""));
			}
			return content;
		}
		catch (NoSuchFileException missing) {
			return new Content.Missing();
		}
		catch (IOException failure) {
			return new Content.Damaged(failure.toString());
		}
	}

	private void requireReadable(String version) {
		long found = version.matches("\\d{1,9}") ? Long.parseLong(version) : -1;
		if (found != FORMAT_VERSION) {
			throw StorageStartException.otherFormat(this.path, found, FORMAT_VERSION);
		}
	}

	private static Content parse(String text) {
		int end = text.lastIndexOf(CHECKSUM);
		String guarded = text.substring(0, Math.max(0, end));
		if (!text.equals(guarded + checksumLine(guarded))) {
			return new Content.Damaged("its checksum is missing or wrong");
		}
		Map<String, String> values = new TreeMap<>();
		Stream.of(guarded.split("\n")).filter((line) -> !line.startsWith("#")).forEach((line) -> {
			String[] pair = line.split("=", 2);
			values.put(pair[0], (pair.length > 1) ? pair[1] : "");
		});
		return new Content.Values(values);
	}

	/** Replaces the file; on return it is durable. */
	public void write(Map<String, String> values) throws IOException {
		StringBuilder text = new StringBuilder("# ").append(this.purpose)
			.append(" Not to be edited: the last line guards it.\n");
		Map<String, String> all = new TreeMap<>(values);
		all.put(FORMAT, Integer.toString(FORMAT_VERSION));
		all.forEach((name, value) -> text.append(name).append('=').append(value).append('\n'));
		text.append(checksumLine(text.toString()));
		DurableFiles.replace(this.path, ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8)));
	}

	private static String checksumLine(String guarded) {
		CRC32C crc = new CRC32C();
		crc.update(guarded.getBytes(StandardCharsets.UTF_8));
		return CHECKSUM + HexFormat.of().toHexDigits((int) crc.getValue()) + "\n";
	}

}
