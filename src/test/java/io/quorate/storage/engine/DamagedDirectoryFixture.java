package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Path;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * The directory of a store that was killed, made once for a class of tests, and a copy of
 * it for each test to damage.
 */
abstract class DamagedDirectoryFixture {

	@TempDir
	private static Path origin;

	static DamagedDirectory whole;

	@TempDir
	Path home;

	DamagedDirectory data;

	@BeforeAll
	static void write() throws IOException {
		whole = DamagedDirectory.make(origin.resolve("work"), origin.resolve("killed"));
	}

	@BeforeEach
	void copy() throws IOException {
		this.data = whole.copy(this.home.resolve("data"));
	}

}
