package io.quorate.clock;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import static org.assertj.core.api.Assertions.assertThat;

class BootTimeTests {

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

	/* The uptime is in seconds, with two digits behind the point. */
	@Test
	@EnabledOnOs(OS.LINUX)
	void itIsTheTimeSinceTheMachineWasStarted() throws Exception {
		long before = BootTime.nanos();
		double uptime = Double.parseDouble(Files.readString(Path.of("/proc/uptime")).split(" ", -1)[0]);
		long after = BootTime.nanos();
		assertThat(uptime).isBetween(before / 1e9 - 0.02, after / 1e9 + 0.02);
	}

}
