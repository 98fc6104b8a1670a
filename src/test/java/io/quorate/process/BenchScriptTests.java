package io.quorate.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * What {@code bin/bench} decides by itself (what counts as held, ratios, arguments), by
 * its own tests, which need Python 3.9 or later. It measures nothing here.
 */
class BenchScriptTests {

	private static final String IS_NEW_ENOUGH = "import sys; sys.exit(sys.version_info < (3, 9))";

	@Test
	void itsOwnTestsPass() throws Exception {
		assumeThat(pythonIsThere()).as("Python 3.9 or later").isTrue();
		Process tests = new ProcessBuilder("python3", "-B", "gatling/bench/tests.py").redirectErrorStream(true).start();
		String output = new String(tests.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(tests.waitFor(1, TimeUnit.MINUTES)).isTrue();
		assertThat(tests.exitValue()).as(output).isZero();
	}

	private static boolean pythonIsThere() throws InterruptedException {
		try {
			return new ProcessBuilder("python3", "-c", IS_NEW_ENOUGH).start().waitFor() == 0;
		}
		catch (IOException notThere) {
			return false;
		}
	}

}
