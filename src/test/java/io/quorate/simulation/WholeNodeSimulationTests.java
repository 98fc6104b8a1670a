package io.quorate.simulation;

import java.nio.file.Path;
import java.util.List;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

class WholeNodeSimulationTests {

	private static final int SEEDS = Integer.getInteger("quorate.seeds",
			Boolean.getBoolean("quorate.endurance") ? 100_000 : 300);

	private static final long FIRST = Long.getLong("quorate.seed", 0);

	private static final Logger LOG = (Logger) LoggerFactory.getLogger("io.quorate");

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
	void membersChangeWhileClientsReadAndWrite() {
		long versions = 0;
		long answered = 0;
		long asked = 0;
		for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
			WholeNodeSimulation run = new WholeNodeSimulation(seed, PlantedBug.NONE, directory);
			List<String> wrong = run.run();
			assertThat(wrong).as("seed %d (-Dquorate.seed=%1$d -Dquorate.seeds=1)", seed).isEmpty();
			versions += run.cluster().judge().versions();
			asked += run.clients().asked();
			answered += run.clients().answered();
		}
		System.err.printf("%d versions, %d of %d answered%n", versions, answered, asked);
		assertThat(answered).isGreaterThan(asked / 2);
	}

}
