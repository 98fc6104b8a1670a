package io.quorate.simulation;

import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.stream.LongStream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.quorate.Lane;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whole nodes while members join, leave and are replaced, the replication factor changes,
 * and changes are given up, some of them by two operators at once: messages are delayed
 * and lost, coordinators and members learn late of layouts, and nodes are killed at any
 * step of an adoption or lose their disks.
 * <p>
 * With {@code -Dquorate.seed=N -Dquorate.seeds=1} one run is repeated alone. The faults
 * that are planted in these classes and not caught here {@link ScenarioTests} catches:
 * see {@code src/model/README.md}.
 */
class WholeNodeSimulationTests {

	private static final int SEEDS = Lane.seeds(100, 1000, 100_000);

	private static final long FIRST = Long.getLong("quorate.seed", 0);

	private static final long SEEDS_FOR_BUGS = 100;

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
	void clientsDoNotNoticeThatMembersChange() {
		long versions = 0;
		long purged = 0;
		long crashed = 0;
		long begun = 0;
		long givenUp = 0;
		long overtaken = 0;
		long asked = 0;
		long answered = 0;
		for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
			WholeNodeSimulation run = new WholeNodeSimulation(seed, PlantedBug.NONE, directory);
			assertThat(run.run()).as("seed %d", seed).isEmpty();
			versions += run.cluster().judge().versions();
			purged += run.cluster().judge().purged();
			crashed += run.cluster().crashed();
			begun += run.operators().begun();
			givenUp += run.operators().givenUp();
			overtaken += run.operators().overtaken();
			asked += run.clients().asked();
			answered += run.clients().answered();
		}
		if (SEEDS > 1) {
			assertThat(answered).as("requests that succeeded").isGreaterThan(asked / 2);
			assertThat(begun).as("changes that were begun").isGreaterThan(SEEDS);
			assertThat(givenUp).as("changes that were given up").isGreaterThan(SEEDS / 4);
			assertThat(overtaken).as("changes that came too late").isPositive();
			assertThat(versions).as("versions of the layout of all runs").isGreaterThan(3L * SEEDS);
			assertThat(purged).as("deletions that were purged").isGreaterThan(SEEDS);
			assertThat(crashed).as("crashes at a step of an adoption, or of a vote").isGreaterThan(SEEDS / 2);
		}
	}

	/**
	 * Each as a run of the models has it.
	 * @param first seed that catches it; when the product has changed, a later one may
	 */
	@ParameterizedTest
	@CsvSource({ "NO_FENCE,75", "WRITE_OLD,4", "WRITE_NEW,4", "READ_NEW,0", "NO_COPY,21", "COPY_ONE,107", "NO_FLOOR,40",
			"STARTS_BEHIND,793" })
	void theSimulationCatchesAPlantedBug(PlantedBug bug, long first) {
		OptionalLong caught = LongStream.range(first, first + SEEDS_FOR_BUGS)
			.filter((seed) -> !new WholeNodeSimulation(seed, bug, directory).run().isEmpty())
			.findFirst();
		assertThat(caught).as("seed that catches %s", bug).isPresent();
		assertThat(new WholeNodeSimulation(caught.getAsLong(), PlantedBug.NONE, bug, directory).run())
			.as("the same run without it")
			.isEmpty();
	}

	/*
	 * A write that misses the node that gains its key replaces an acknowledged one at all
	 * sources, just before they are copied.
	 */
	@Test
	void aYoungEntryDoesNotHideAnOlderOneFromACopy() {
		assertThat(new WholeNodeSimulation(18, PlantedBug.NONE, PlantedBug.PURGE_OLD, directory).run()).isEmpty();
	}

	@Test
	void aSeedHasTheSameRunEachTime() {
		assertThat(told(FIRST + 1)).isEqualTo(told(FIRST + 1));
	}

	private static String told(long seed) {
		WholeNodeSimulation run = new WholeNodeSimulation(seed, PlantedBug.NONE, directory);
		assertThat(run.run()).as("seed %d", seed).isEmpty();
		return run.cluster().judge().told();
	}

}
