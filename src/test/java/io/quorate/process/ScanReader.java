package io.quorate.process;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Takes the answer of a range apart for a reader that knows how long each value must be,
 * as HTTP clients do not show the chunks.
 */
final class ScanReader {

	private static final String KEY = "{\"key\":\"";

	private static final String END = "{\"last\":true,\"records\":";

	private ScanReader() {
	}

	/** The next key, without the line feed behind it. */
	static String key(InputStream scan) throws IOException {
		ByteArrayOutputStream key = new ByteArrayOutputStream();
		for (int next = scan.read(); next != '\n'; next = scan.read()) {
			if (next < 0) {
				throw new EOFException("the scan ended within the key " + key.toString(StandardCharsets.UTF_8));
			}
			key.write(next);
		}
		return key.toString(StandardCharsets.UTF_8);
	}

	/**
	 * Reads a range of lines of JSON, and requires that each key comes once and in order.
	 * The client for Java does so, too, but refuses what a node sends that may run the
	 * program before, which says nothing at the end.
	 * @return whether the last line is that of the end
	 */
	static boolean requireOrderUpToTheEnd(InputStream scan) throws IOException {
		String last = "";
		int records = 0;
		try (BufferedReader lines = new BufferedReader(new InputStreamReader(scan, StandardCharsets.UTF_8))) {
			for (String line = lines.readLine(); line != null; line = lines.readLine()) {
				if (line.startsWith(END)) {
					assertThat(line).isEqualTo(END + records + "}");
					assertThat(lines.readLine()).as("what comes behind the end").isNull();
					return true;
				}
				assertThat(line).startsWith(KEY).endsWith("}");
				String key = line.substring(KEY.length(), line.indexOf('"', KEY.length()));
				assertThat(key).isGreaterThan(last);
				last = key;
				records++;
			}
		}
		return false;
	}

}
