package io.quorate.command.data;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

import org.jspecify.annotations.Nullable;

/**
 * A file with the place behind the last event that was handled. It is replaced as a
 * whole, so a reader finds one of two places, also behind a kill.
 */
final class CursorFile {

	private final Path path;

	private @Nullable String written;

	CursorFile(Path path) {
		this.path = path;
	}

	/** The place of an earlier run, {@code null} if there was none. */
	@Nullable String read() throws IOException {
		try {
			String cursor = Files.readString(this.path).strip();
			this.written = cursor;
			return cursor;
		}
		catch (NoSuchFileException none) {
			return null;
		}
	}

	void write(String cursor) throws IOException {
		if (cursor.equals(this.written)) {
			return;
		}
		Path fresh = this.path.resolveSibling(this.path.getFileName() + ".new");
		Files.writeString(fresh, cursor + "\n");
		Files.move(fresh, this.path, StandardCopyOption.ATOMIC_MOVE);
		this.written = cursor;
	}

}
