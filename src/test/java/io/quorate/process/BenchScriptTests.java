package io.quorate.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * The decisions of {@code tools/bench} itself (which rates count as held, ratios,
 * arguments), by its own tests, which need Python 3.9 or later. It measures nothing here.
 */
@Tag(Scale.FULL)
class BenchScriptTests {

	private static final String IS_NEW_ENOUGH = "import sys; sys.exit(sys.version_info < (3, 9))";

	@Test
	void itsOwnTestsPass(@TempDir Path directory) throws Exception {
		assumeThat(pythonIsThere()).as("Python 3.9 or later").isTrue();
		Path output = directory.resolve("output");
		Process tests = new ProcessBuilder("python3", "-B", "gatling/bench/tests.py").redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();
		try {
			assertThat(tests.waitFor(1, TimeUnit.MINUTES)).as("it ends: %s", Files.readString(output)).isTrue();
			assertThat(tests.exitValue()).as(Files.readString(output)).isZero();
		}
		finally {
			tests.destroyForcibly();
		}
	}

	private static boolean pythonIsThere() throws InterruptedException {
		try {
			Process python = new ProcessBuilder("python3", "-c", IS_NEW_ENOUGH).start();
			return python.waitFor(1, TimeUnit.MINUTES) && python.exitValue() == 0;
		}
		catch (IOException notThere) {
			return false;
		}
	}

}
