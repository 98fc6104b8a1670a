package io.quorate.repair.rebuild;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import io.quorate.Lane;
import io.quorate.membership.members.MemberState;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The incarnation in which a cluster goes on. Nodes start in any order, with directories
 * that are new, restored or their own; connections begin with a handshake, carry
 * keep-alives in order, and are cut.
 */
class IncarnationSimulationTests {

	private static final int SEEDS = Lane.seeds(2, 5, 50);

	private static final int STEPS = IncarnationSimulation.STEPS;

	@TempDir
	private Path directory;

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3, 4, 5 })
	void aNewClusterIsInTheFirst(int size) throws IOException {
		for (long seed = 0; seed < SEEDS; seed++) {
			IncarnationSimulation simulation = new IncarnationSimulation(this.directory, seed, size).living();
			simulation.restart(simulation.random.nextInt(size));
			simulation.settle();
			simulation.requireAllIn(0);
			simulation.requireRebuilt();
		}
	}

	/* The members that are not restored have new directories, and may meet first. */
	@ParameterizedTest
	@CsvSource({ "1, 1", "2, 1", "2, 2", "3, 1", "3, 2", "3, 3", "4, 1", "5, 1", "5, 2", "5, 5" })
	void aClusterThatWasRestoredGoesOnAsOne(int size, int restored) throws IOException {
		for (long seed = 0; seed < SEEDS; seed++) {
			IncarnationSimulation simulation = new IncarnationSimulation(this.directory, seed, size);
			simulation.startAll((number) -> {
				if (number < restored) {
					simulation.startRestored(number);
				}
				else {
					simulation.startEmpty(number);
				}
			});
			simulation.settle();
			simulation.requireAllIn(1);
			simulation.requireRebuilt();
		}
	}

	/* One node at a time, in a cluster that lives; other nodes are killed meanwhile. */
	@ParameterizedTest
	@ValueSource(ints = { 3, 4, 5, 7 })
	void aNodeThatWasRestoredAloneTakesNoOtherWithIt(int size) throws IOException {
		for (long seed = 0; seed < SEEDS; seed++) {
			IncarnationSimulation simulation = new IncarnationSimulation(this.directory, seed, size).living();
			int alone = simulation.random.nextInt(size);
			simulation.startRestored(alone);
			simulation.run(simulation.random.nextInt(20));
			simulation.restart((alone + 1) % size);
			simulation.settle();
			simulation.requireAllIn(0);
			simulation.requireRebuilt(alone);
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 3, 4, 5 })
	void aNodeThatBeganOneApartGoesBack(int size) throws IOException {
		for (long seed = 0; seed < SEEDS; seed++) {
			IncarnationSimulation simulation = new IncarnationSimulation(this.directory, seed, size).living();
			int apart = simulation.random.nextInt(size);
			simulation.separate(apart);
			simulation.command(apart, 1 + simulation.random.nextInt(3));
			simulation.run(20);
			simulation.apart.clear();
			simulation.settle();
			simulation.requireAllIn(0);
			simulation.requireRebuilt(apart);
		}
	}

	/* All disks were lost, all nodes have started empty, and there is one backup. */
	@ParameterizedTest
	@CsvSource({ "2, 1", "3, 1", "3, 2", "5, 1", "5, 3" })
	void nodesThatWereStartedEmptyFollowThoseThatAreRestored(int size, int restored) throws IOException {
		for (long seed = 0; seed < SEEDS; seed++) {
			IncarnationSimulation simulation = new IncarnationSimulation(this.directory, seed, size).living();
			List<Path> backups = new ArrayList<>();
			for (int number = 0; number < restored; number++) {
				backups.add(simulation.backup(number));
			}
			for (int number = 0; number < size; number++) {
				simulation.startEmpty(number);
			}
			simulation.settle();
			for (int number = 0; number < restored; number++) {
				simulation.startRestored(number, backups.get(number));
			}
			simulation.settle();
			simulation.requireAllIn(1);
			simulation.requireRebuilt();
		}
	}

	/* A rebuild is not to end early because of it; in a cluster of three both wait. */
	@ParameterizedTest
	@ValueSource(ints = { 3, 5, 7 })
	void aNodeThatWasRestoredAloneEndsNoRebuild(int size) throws IOException {
		for (long seed = 0; seed < SEEDS; seed++) {
			IncarnationSimulation simulation = new IncarnationSimulation(this.directory, seed, size).living();
			simulation.node(0).tracker.beginRebuild("a test");
			simulation.startRestored(1);
			simulation.run(STEPS);
			assertThat(simulation.node(0).rebuild.isAbandoned()).as("seed %d", seed).isFalse();
			assertThat(simulation.node(2).incarnation()).as("seed %d", seed).isZero();
			simulation.node(0).rebuild.abandon();
			simulation.settle();
			simulation.requireAllIn(0);
			assertThat(simulation.rebuilt).as("seed %d", seed).contains(1);
		}
	}

	/* It is of before the cluster was restored, and another member is away. */
	@ParameterizedTest
	@ValueSource(ints = { 3, 5 })
	void anOlderDirectoryIsFoundOutByAnyPeer(int size) throws IOException {
		for (long seed = 0; seed < SEEDS; seed++) {
			IncarnationSimulation simulation = new IncarnationSimulation(this.directory, seed, size).living();
			Path older = simulation.backup(0);
			simulation.startAll(simulation::startRestored);
			simulation.settle();
			simulation.requireAllIn(1);
			simulation.runUntil(() -> simulation.node(1).tracker.recollectionOf("n0").isKnown());
			for (int number = 2; number < size; number++) {
				simulation.separate(number);
			}
			simulation.start(0, older, new UUID(seed, 3), false);
			simulation.runUntil(() -> simulation.node(1).membership.stateOf("n0") == MemberState.UP);
			assertThat(simulation.node(0).incarnation()).as("seed %d", seed).isOne();
			assertThat(simulation.node(0).rebuild.isRebuilding()).as("seed %d", seed).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 4, 5 })
	void aClusterOfWhichAMemberNeverStartsStaysToo(int size) throws IOException {
		for (long seed = 0; seed < SEEDS; seed++) {
			IncarnationSimulation simulation = new IncarnationSimulation(this.directory, seed, size);
			for (int number = 1; number < size; number++) {
				simulation.startEmpty(number);
			}
			simulation.settle();
			simulation.requireAllIn(0);
			simulation.startRestored(1);
			simulation.run(STEPS);
			for (int number = 2; number < size; number++) {
				assertThat(simulation.node(number).incarnation()).as("seed %d", seed).isZero();
			}
			if (size > 4) {
				simulation.runUntil(() -> simulation.node(1).incarnation() == 0);
				assertThat(simulation.node(1).rebuild.isRebuilding()).as("seed %d", seed).isTrue();
			}
		}
	}

	/* An operator has left out a minority of the nodes, which may run all the while. */
	@ParameterizedTest
	@ValueSource(ints = { 3, 5 })
	void aMinorityThatWasNotRestoredFollows(int size) throws IOException {
		for (long seed = 0; seed < SEEDS; seed++) {
			IncarnationSimulation simulation = new IncarnationSimulation(this.directory, seed, size).living();
			for (int number = size / 2; number < size; number++) {
				simulation.separate(number);
			}
			simulation.run(20);
			for (int number = size / 2; number < size; number++) {
				simulation.startRestored(number);
			}
			simulation.apart.clear();
			if (simulation.random.nextBoolean()) {
				simulation.restart(0);
			}
			simulation.settle();
			simulation.requireAllIn(1);
			simulation.requireRebuilt();
		}
	}

	/*
	 * Each remembers more of the others than there is. If one of them is whole, the
	 * others may be rebuilt, once they need not wait for the one that was told.
	 */
	@ParameterizedTest
	@ValueSource(ints = { 2, 3, 5 })
	void aClusterWhoseNodesWaitForEachOtherFollowsTheOperator(int size) throws IOException {
		for (long seed = 0; seed < SEEDS; seed++) {
			IncarnationSimulation simulation = new IncarnationSimulation(this.directory, seed, size).living();
			int whole = (seed % 2 == 0) ? simulation.random.nextInt(size) : -1;
			for (int number = 0; number < size; number++) {
				if (number != whole) {
					simulation.node(number).tracker.beginRebuild("a test");
				}
			}
			simulation.separate(0);
			simulation.run(STEPS);
			simulation.apart.clear();
			simulation.command(simulation.random.nextInt(size), 1);
			simulation.settle();
			if (whole < 0) {
				simulation.requireAllIn(1);
			}
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 3, 5 })
	void aNodeThatWasAwayDuringTwoRestorationsFollows(int size) throws IOException {
		for (long seed = 0; seed < SEEDS; seed++) {
			IncarnationSimulation simulation = new IncarnationSimulation(this.directory, seed, size).living();
			simulation.separate(0);
			for (int restoration = 0; restoration < 2; restoration++) {
				for (int number = 1; number < size; number++) {
					simulation.startRestored(number);
				}
				simulation.run(STEPS);
			}
			simulation.apart.clear();
			simulation.settle();
			simulation.requireAllIn(2);
		}
	}

}
