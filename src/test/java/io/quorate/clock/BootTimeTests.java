package io.quorate.clock;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

class BootTimeTests {

	private static final int SUSPENDED_SECONDS = 86_400;

	@Test
	void itGoesOnAndNeverBack() {
		long begun = BootTime.nanos();
		long monotonic = System.nanoTime();
		long before = begun;
		while (System.nanoTime() - monotonic < Duration.ofMillis(20).toNanos()) {
			long now = BootTime.nanos();
			assertThat(now).isGreaterThanOrEqualTo(before);
			before = now;
		}
		assertThat(BootTime.nanos() - begun).isGreaterThanOrEqualTo(Duration.ofMillis(20).toNanos());
	}

	/*
	 * A namespace whose clocks are apart, as those of a machine are that was suspended.
	 */
	@Test
	@EnabledOnOs(OS.LINUX)
	void itIsAheadOfTheMonotonicClockByTheTimeOfSuspension() throws Exception {
		Process possible = inNamespace("true");
		assumeThat(possible.exitValue()).as("whether this user may make a namespace of clocks").isZero();
		String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
		Process reader = inNamespace(java, "--enable-native-access=ALL-UNNAMED", "-cp",
				System.getProperty("java.class.path"), BootTimeReader.class.getName());
		String said = new String(reader.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(said).isEqualToIgnoringWhitespace(Integer.toString(SUSPENDED_SECONDS));
	}

	private static Process inNamespace(String... command) throws IOException, InterruptedException {
		ProcessBuilder builder = new ProcessBuilder("unshare", "--time", "--boottime",
				Integer.toString(SUSPENDED_SECONDS), "--fork");
		builder.command().addAll(List.of(command));
		Process process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
		assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
		return process;
	}

}
