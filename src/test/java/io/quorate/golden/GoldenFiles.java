package io.quorate.golden;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The golden files: bytes that programs of all versions have written. They are never
 * changed and never written again; a new version of a format gets a file of its own.
 * Which program wrote them is said by the test that reads them, and at the top of the
 * text files.
 */
public final class GoldenFiles {

	/** Advice of a test whose writer writes other bytes than those of the golden file. */
	public static final String OTHER_BYTES = "the format has changed: raise its version, keep the reader of the version "
			+ "before, and add a golden file of the new version (src/docs/formats.md, Change of a format); "
			+ "a golden file is never changed. ";

	private GoldenFiles() {
	}

	/** The bytes of a file. */
	public static byte[] bytes(String file) {
		try (InputStream bytes = GoldenFiles.class.getResourceAsStream(file)) {
			if (bytes == null) {
				throw new IllegalArgumentException("there is no golden file " + file);
			}
			return bytes.readAllBytes();
		}
		catch (IOException failure) {
			throw new UncheckedIOException(failure);
		}
	}

	/**
	 * The named bytes of a text file: in each line a name and hexadecimal digits, which
	 * blanks may divide; a line that begins with {@code #} is a comment.
	 */
	public static Map<String, byte[]> hex(String file) {
		Map<String, byte[]> named = new LinkedHashMap<>();
		for (String line : new String(bytes(file), StandardCharsets.UTF_8).lines().toList()) {
			if (!line.isBlank() && !line.startsWith("#")) {
				String[] parts = line.split(" ", 2);
				byte[] bytes = HexFormat.of().parseHex(parts[1].replace(" ", ""));
				if (named.put(parts[0], bytes) != null) {
					throw new IllegalArgumentException("%s stands twice in %s".formatted(parts[0], file));
				}
			}
		}
		return named;
	}

}
