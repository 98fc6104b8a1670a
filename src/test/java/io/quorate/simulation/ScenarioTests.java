package io.quorate.simulation;

import java.nio.file.Path;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The planted faults that a run of {@link WholeNodeSimulationTests} by a seed does not
 * show, each in the {@link Scenarios scenario} of its model's counterexample.
 */
class ScenarioTests {

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

	/**
	 * The fault is caught, and without it the same scenario is judged to be right.
	 * @param least number of requests that succeed in it then
	 */
	@ParameterizedTest
	@CsvSource({ "TAKES_EARLY,2", "READ_OLD,3", "HOLD_OLD,3", "COPY_EARLY,2", "NO_BARRIER,3", "DOWN_GAIN,2",
			"PURGE_OLD,3", "GAINER_HINTS,4", "NO_HORIZON,4", "KEEP_MARKS,3", "BY_NAME,0", "NO_PREPARE,0" })
	void theScenarioCatchesItsBug(PlantedBug bug, int least) {
		assertThat(Scenarios.run(bug, bug, directory).verdict()).as("with it").isNotEmpty();
		Scenario right = Scenarios.run(bug, PlantedBug.NONE, directory);
		assertThat(right.verdict()).as("without it").isEmpty();
		assertThat(right.answered()).as("requests that succeed without it").isGreaterThanOrEqualTo(least);
	}

	/** As above, of registers. */
	@ParameterizedTest
	@CsvSource({ "PROMISE_NOT_DURABLE,1", "REPAIR_PASSES,2", "RELEASE_TO_NONE,2", "PROMISE_FORGOTTEN,2",
			"UNCHOSEN_HINTS,2", "AMNESIAC_ACKS,1", "BLIND_LOOK,2" })
	void theScenarioCatchesItsBugOfRegisters(PlantedBug bug, int least) {
		assertThat(RegisterScenarios.run(bug, bug, directory).verdict()).as("with it").isNotEmpty();
		Scenario right = RegisterScenarios.run(bug, PlantedBug.NONE, directory);
		assertThat(right.verdict()).as("without it").isEmpty();
		assertThat(right.answered()).as("requests that succeed without it").isGreaterThanOrEqualTo(least);
	}

	/*
	 * That members have adopted the joint layout follows from the copies, too: a replica
	 * is copied from only then. So the one fault is planted with the other.
	 */
	@Test
	void anEarlyCopyAloneDoesNotReplaceTheBarrier() {
		assertThat(Scenarios.run(PlantedBug.NO_BARRIER, PlantedBug.COPY_EARLY, directory).verdict()).isEmpty();
	}

}
