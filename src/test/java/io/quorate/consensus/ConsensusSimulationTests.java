package io.quorate.consensus;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.LongStream;

import io.quorate.Lane;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import static org.assertj.core.api.Assertions.assertThat;

class ConsensusSimulationTests {

	private static final int SEEDS = Lane.seeds(300, 1000, 100_000);

	private static final long SEEDS_FOR_BUGS = 10_000;

	@Test
	void nodesNeverLearnTwoContentsOfOneVersion() {
		long versions = 0;
		long lostDisks = 0;
		for (long seed = 0; seed < SEEDS; seed++) {
			ConsensusSimulation run = new ConsensusSimulation(seed, PlantedBug.NONE);
			assertThat(failureOf(run)).as("seed %d", seed).isEmpty();
			versions += run.versions();
			lostDisks += run.lostDisks();
		}
		assertThat(versions).as("decisions of all runs").isGreaterThan(4L * SEEDS);
		assertThat(lostDisks).as("lost disks of all runs").isGreaterThan(SEEDS);
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "NONE")
	void theSimulationCatchesEachPlantedBug(PlantedBug bug) {
		OptionalLong seed = LongStream.range(0, SEEDS_FOR_BUGS)
			.filter((each) -> failureOf(new ConsensusSimulation(each, bug)).isPresent())
			.findFirst();
		assertThat(seed).as("seed that catches %s", bug).isPresent();
	}

	private static Optional<Throwable> failureOf(ConsensusSimulation run) {
		try {
			run.run();
			return Optional.empty();
		}
		catch (AssertionError | ConflictingDecreeException failure) {
			return Optional.of(failure);
		}
	}

}
