package io.quorate.golden;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/**
 * The golden files: bytes that programs of all versions have written. They are never
 * changed and never written again; a new version of a format gets a file of its own.
 * Which program wrote them is said by the test that reads them, and at the top of the
 * text files.
 */
public final class GoldenFiles {

	/** Advice of a test whose writer writes other bytes than those of the golden file. */
	public static final String OTHER_BYTES = "the format has changed: raise its version, keep the reader of the version "
			+ "before, and add a golden file of the new version (CONTRIBUTING.md, Change of a format); "
			+ "a golden file is never changed. ";

	private GoldenFiles() {
	}

	/** The bytes of a file, unpacked if its name ends with {@code .gz}. */
	public static byte[] bytes(String file) {
		try (InputStream packed = GoldenFiles.class.getResourceAsStream(file)) {
			if (packed == null) {
				throw new IllegalArgumentException("there is no golden file " + file);
			}
			try (InputStream bytes = file.endsWith(".gz") ? new GZIPInputStream(packed) : packed) {
				return bytes.readAllBytes();
			}
		}
		catch (IOException failure) {
			throw new UncheckedIOException(failure);
		}
	}

	/** Copies a file into a directory, under a name. */
	public static Path copy(String file, Path directory, String name) throws IOException {
		Files.createDirectories(directory);
		return Files.write(directory.resolve(name), bytes(file));
	}

	/** Unpacks the data directory of a version into another directory. */
	public static Path unpack(int version, Path target) throws IOException {
		try (ZipInputStream zip = new ZipInputStream(
				new ByteArrayInputStream(bytes("directory-%d.zip".formatted(version))))) {
			for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
				Path file = target.resolve(entry.getName());
				Files.createDirectories(file.getParent());
				Files.write(file, zip.readAllBytes());
			}
		}
		return target;
	}

	/** The lines of a text file apart from comments. */
	public static List<String> lines(String file) {
		return new String(bytes(file), StandardCharsets.UTF_8).lines()
			.filter((line) -> !line.isBlank() && !line.startsWith("#"))
			.toList();
	}

	/**
	 * The named bytes of a text file: in each line a name and hexadecimal digits, which
	 * blanks may divide; a line that begins with {@code #} is a comment.
	 */
	public static Map<String, byte[]> hex(String file) {
		Map<String, byte[]> named = new LinkedHashMap<>();
		for (String line : lines(file)) {
			int name = line.indexOf(' ');
			byte[] bytes = HexFormat.of().parseHex(line.substring(name + 1).replace(" ", ""));
			if (named.put(line.substring(0, name), bytes) != null) {
				throw new IllegalArgumentException("%s stands twice in %s".formatted(line, file));
			}
		}
		return named;
	}

}
