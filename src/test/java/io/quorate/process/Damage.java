package io.quorate.process;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

/** The damage that disks do to files. */
final class Damage {

	private Damage() {
	}

	/** Turns one bit over. */
	static void flipBit(Path file, long offset) throws IOException {
		try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
			bytes.seek(offset);
			int old = bytes.read();
			bytes.seek(offset);
			bytes.write(old ^ 4);
		}
	}

	/** Where a text, which must be there, stands in a file first. */
	static int positionOf(String text, Path file) throws IOException {
		int found = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).indexOf(text);
		assertThat(found).as("%s in %s", text, file).isPositive();
		return found;
	}

}
