package io.quorate.process;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * Takes the answer of a range apart for a reader that knows how long each value must be,
 * as HTTP clients do not show the chunks.
 */
final class ScanReader {

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

}
