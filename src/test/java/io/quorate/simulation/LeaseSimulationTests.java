package io.quorate.simulation;

import java.nio.file.Path;
import java.time.Duration;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.quorate.Lane;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Leases while one clock is far off. With {@code -Dquorate.seed=N -Dquorate.seeds=1} one
 * run is repeated alone.
 */
class LeaseSimulationTests {

	private static final Logger LOG = (Logger) LoggerFactory.getLogger("io.quorate");

	private static final int SEEDS = Lane.seeds(20, 200, 5_000);

	private static final long FIRST = Long.getLong("quorate.seed", 0);

	@TempDir
	private static Path directory;

	@BeforeAll
	static void silence() {
		LOG.setLevel(Level.OFF);
	}

	@AfterAll
	static void endSilence() {
		LOG.setLevel(null);
	}

	@Test
	void oneClockThatIsMovedEndsNoLeaseAndGivesNoneASecondHolder() {
		for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
			LeaseSimulation run = new LeaseSimulation(seed, directory);
			assertThat(run.run(Duration.ofMinutes(10))).as("seed %d", seed).isEmpty();
			assertThat(run.done()).as("leases, touches and expiries of seed %d", seed).allMatch((count) -> count > 2);
		}
	}

}
