package io.quorate.command.setup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * A directory for files that are not whole yet, on the disk of those that they become. It
 * is gone when it is closed.
 *
 * @param path the directory
 */
record WorkDirectory(Path path) implements AutoCloseable {

	private static final String PREFIX = ".quorate-init-";

	/** A directory beside another one, whose parents are made. */
	static WorkDirectory beside(Path target) throws IOException {
		return in(Files.createDirectories(Objects.requireNonNullElse(target.getParent(), target)));
	}

	/** A directory in another one. */
	static WorkDirectory in(Path parent) throws IOException {
		return new WorkDirectory(Files.createTempDirectory(parent, PREFIX));
	}

	/** A new directory in it. */
	NewDirectory create(String name) throws IOException {
		return NewDirectory.create(this.path.resolve(name));
	}

	@Override
	public void close() throws IOException {
		try (Stream<Path> files = Files.walk(this.path)) {
			List<Path> fromTheLast = files.sorted(Comparator.reverseOrder()).toList();
			for (Path file : fromTheLast) {
				Files.delete(file);
			}
		}
	}

}
