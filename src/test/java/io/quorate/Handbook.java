package io.quorate;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The chapters of the handbook that tests compare with the program. */
public enum Handbook {

	HTTP_API("http-api"), PROPERTIES("properties"), CLUSTER("cluster"), SECURITY("security"), STORAGE("storage"),
	REPAIR("repair"), KUBERNETES("kubernetes"), WATCHING("watching"), TROUBLESHOOTING("troubleshooting"),
	RECIPES("recipes");

	private final Path file;

	Handbook(String name) {
		this.file = Path.of("src/docs", name + ".md");
	}

	/** Path from the root of the project. */
	public Path file() {
		return this.file;
	}

	/** The whole text. */
	public String text() {
		try {
			return Files.readString(this.file);
		}
		catch (IOException failure) {
			throw new UncheckedIOException(failure);
		}
	}

}
