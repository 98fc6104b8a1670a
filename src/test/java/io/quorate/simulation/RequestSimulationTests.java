package io.quorate.simulation;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.quorate.Lane;
import io.quorate.coordinator.Consistency;
import io.quorate.membership.agreement.DrivenMember;
import io.quorate.membership.layout.ChangeRequest;
import io.quorate.simulation.Clients.Mode;
import io.quorate.simulation.Clients.Promise;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whole nodes whose clients ask for the same few keys as fast as they answer, while
 * clocks differ and move, nodes are killed, stand still and lose their disks, and
 * messages are delayed, lost, doubled and refused; in some the layout changes meanwhile.
 * Each request is judged by its stamp: what begins after another one has ended must know
 * of it; and each key by its values: majorities make a register of it.
 */
class RequestSimulationTests {

	private static final int SEEDS = Lane.seeds(4, 25, 2500);

	private static final int SKEW = 40_000;

	/* Bytes of the larger ones of the values. */
	private static final int LARGEST = 2;

	private static final int LEAST_ANSWERED = 30;

	/* Fewer decide nothing once one has lost its disk. */
	private static final int LEAST_MEMBERS = 3;

	private static final long SEEDS_FOR_BUGS = 40;

	private static final Logger LOG = (Logger) LoggerFactory.getLogger("io.quorate");

	@TempDir
	private static Path directory;

	private static int runs;

	@BeforeAll
	static void silence() {
		LOG.setLevel(Level.OFF);
	}

	@AfterAll
	static void endSilence() {
		LOG.setLevel(null);
	}

	/** Nodes, the first of which are members with so many replicas of each key. */
	private record Shape(int nodes, int members, int factor) {
	}

	private static WholeNodeSimulation simulation(Shape shape, Weather weather, PlantedBug bug,
			@Nullable Function<SimulatedCluster, ChangeRequest> only) {
		if (shape.members() < LEAST_MEMBERS) {
			weather.lostDisks = 0;
		}
		List<String> members = IntStream.range(0, shape.members()).mapToObj((i) -> "n" + i).toList();
		return new WholeNodeSimulation(
				new SimulatedCluster(bug, weather, new DrivenMember.Configured(members, shape.factor()), shape.nodes(),
						directory.resolve("requests-" + runs++)),
				only);
	}

	/* Values have a byte or two: all are left out, or some, or none. */
	@ParameterizedTest(
			name = "{0} nodes, {1} replicas, ack {2} and {3}, clocks {4} ms apart, {5} s believed, digests {6}")
	@CsvSource({ "3,3,2,2,0,3600,0", "3,3,2,2,40000,3600,0", "3,3,2,2,40000,3600,1", "3,3,2,2,40000,15,1",
			"3,3,2,2,40000,3600,2", "3,3,3,1,40000,3600,0", "3,3,1,3,40000,3600,0", "3,3,1,3,40000,3600,1",
			"5,3,2,2,40000,3600,0", "5,5,3,3,40000,3600,1", "5,5,3,3,40000,15,0", "5,5,3,3,40000,3600,0",
			"3,3,3,3,40000,3600,0", "4,4,3,3,0,3600,0", "2,2,2,2,40000,3600,0", "3,3,2,2,300,0.4,0",
			"5,5,3,3,300,0.4,0", "4,4,3,3,40000,3600,0" })
	void anOperationThatEndedIsKnownToLaterOnes(int nodes, int replicas, int writeAck, int readAck, int skew,
			double believedSeconds, int digestAbove) {
		Duration believed = Duration.ofMillis((long) (believedSeconds * 1000));
		Shape shape = new Shape(nodes, nodes, replicas);
		Mode mode = Mode.of(writeAck, readAck, replicas);
		int answered = 0;
		int failedInCalm = 0;
		double fetched = 0;
		for (long seed = 0; seed < SEEDS; seed++) {
			WholeNodeSimulation run = simulation(shape, Weather.dense(seed, mode, skew, believed, digestAbove),
					PlantedBug.NONE, null);
			assertThat(run.run()).as("seed %d", seed).isEmpty();
			answered += run.clients().answered();
			failedInCalm += run.clients().failedInCalm();
			fetched += run.cluster().meters().get("quorate.reads.fetched").counter().count();
		}
		assertThat(answered).as("requests that succeeded").isGreaterThan(SEEDS * LEAST_ANSWERED);
		boolean areClocksBelieved = believed.toMillis() > skew;
		/* A clock that is too far ahead refuses to stamp writes, in calm too. */
		assertThat(failedInCalm).as("requests that failed while nothing went wrong")
			.isLessThanOrEqualTo(areClocksBelieved ? SEEDS / 4 : Integer.MAX_VALUE);
		boolean isAnyLeftOut = digestAbove < LARGEST && readAck > 1;
		assertThat(fetched > SEEDS).as("%f values asked for once more", fetched).isEqualTo(isAnyLeftOut);
	}

	/* Each node adopts the joint layout and the last one at another instant. */
	@ParameterizedTest(name = "from {0} to {1} members, ack {2} and {3}, {4} s believed, digests {5}")
	@CsvSource({ "3,4,2,2,3600,0", "3,4,2,2,3600,2", "4,3,2,2,3600,2", "5,4,2,2,3600,1", "3,4,3,1,3600,0",
			"4,3,1,3,3600,0", "3,4,2,2,15,0", "4,3,2,2,15,1" })
	void anOperationIsKnownToLaterOnesThroughAChangeOfMembers(int before, int after, int writeAck, int readAck,
			long believedSeconds, int digestAbove) {
		assertChangeIsUnnoticed(new Shape(Math.max(before, after), before, 3), Mode.of(writeAck, readAck, 3),
				Duration.ofSeconds(believedSeconds), digestAbove, (cluster) -> (after > before)
						? joins(cluster.node("n" + before)) : new ChangeRequest.Remove("n" + after, false));
	}

	private static ChangeRequest joins(SimulatedNode node) {
		return new ChangeRequest.Add(DrivenMember.endpoint(node.id()), node.directory().identity.storageId());
	}

	@ParameterizedTest(name = "from {0} to {1} replicas on {2} nodes, digests {3}")
	@CsvSource({ "3,4,5,0", "4,3,5,0", "2,3,3,2", "3,2,4,0", "1,2,3,0" })
	void anOperationIsKnownToLaterOnesThroughAChangeOfTheFactor(int before, int after, int nodes, int digestAbove) {
		assertChangeIsUnnoticed(new Shape(nodes, nodes, before), Mode.MAJORITY, Duration.ofHours(1), digestAbove,
				(_) -> new ChangeRequest.Replication(after));
	}

	private static void assertChangeIsUnnoticed(Shape shape, Mode mode, Duration believed, int digestAbove,
			Function<SimulatedCluster, ChangeRequest> change) {
		int answered = 0;
		int begun = 0;
		for (long seed = 0; seed < SEEDS; seed++) {
			WholeNodeSimulation run = simulation(shape, Weather.dense(seed, mode, SKEW, believed, digestAbove),
					PlantedBug.NONE, change);
			assertThat(run.run()).as("seed %d", seed).isEmpty();
			answered += run.clients().answered();
			begun += run.operators().begun();
		}
		assertThat(answered).as("requests that succeeded").isGreaterThan(SEEDS * LEAST_ANSWERED);
		assertThat(begun).as("changes that were begun").isGreaterThan(SEEDS / 4);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 2 })
	void thereAreNeverMoreCopiesThanWereAskedFor(int digestAbove) {
		Mode mixed = new Mode(Promise.NOTHING, new Consistency(2, 3), new Consistency(2, 3));
		for (long seed = 0; seed < SEEDS; seed++) {
			assertThat(simulation(new Shape(5, 5, 3),
					Weather.dense(seed, mixed, SKEW, Duration.ofHours(1), digestAbove), PlantedBug.NONE, null)
				.run()).as("seed %d", seed).isEmpty();
		}
	}

	@Test
	void aSeedHasTheSameRunEachTime() {
		assertThat(told(1)).isEqualTo(told(1));
	}

	/**
	 * Conditional and linearizable requests alone, and mixed with plain ones, on
	 * registers of 3 and 5 replicas; with hints and comparisons, which meet promises,
	 * too.
	 */
	@ParameterizedTest(name = "{0} replicas, {1} of a hundred conditional, clocks {2} ms apart, hints {3}")
	@CsvSource({ "3,100,0,false", "3,100,40000,false", "3,50,40000,false", "3,50,0,true", "3,100,40000,true",
			"5,100,40000,false", "5,50,40000,true", "2,100,0,false", "4,70,300,true" })
	void aKeyIsARegisterForConditionalRequests(int replicas, int conditional, int skew, boolean isHanding) {
		int answered = 0;
		int unmet = 0;
		int repeated = 0;
		int touched = 0;
		List<String> failedInCalm = new ArrayList<>();
		for (int seed = 0; seed < 2 * SEEDS; seed++) {
			WholeNodeSimulation run = simulation(new Shape(replicas, replicas, replicas),
					conditional(seed, conditional, skew, isHanding), PlantedBug.NONE, null);
			assertThat(run.run()).as("seed %d", seed).isEmpty();
			answered += run.clients().answered();
			unmet += run.clients().unmet();
			repeated += run.clients().repeated();
			touched += run.clients().touched();
			failedInCalm.addAll(run.clients().calmFailures());
		}
		assertThat(answered).as("requests that succeeded").isGreaterThan(SEEDS * LEAST_ANSWERED);
		assertThat(unmet).as("conditions that did not hold").isGreaterThan(SEEDS * LEAST_ANSWERED / 10);
		assertThat(touched).as("values that were touched").isGreaterThan(SEEDS * LEAST_ANSWERED / 10);
		assertThat(repeated > 0).as("%d writes were sent again", repeated).isEqualTo(conditional == 100);
		/* A plain write that another one has overtaken in a round may stay unknown. */
		int most = (conditional == 100) ? SEEDS / 4 : answered / 20;
		assertThat(failedInCalm).as("requests that failed while nothing went wrong").hasSizeLessThanOrEqualTo(most);
	}

	private static Weather conditional(long seed, int conditional, int skew, boolean isHanding) {
		Weather weather = Weather.dense(seed, Mode.MAJORITY, skew, Duration.ofHours(1), 1);
		weather.conditional = conditional;
		if (isHanding) {
			weather.hints = Duration.ofMillis(300);
			weather.comparisons = Duration.ofSeconds(1);
		}
		return weather;
	}

	@ParameterizedTest(name = "from {0} to {1} members")
	@CsvSource({ "3,4", "4,3" })
	void aKeyStaysARegisterThroughAChangeOfMembers(int before, int after) {
		int begun = 0;
		for (long seed = 0; seed < SEEDS; seed++) {
			WholeNodeSimulation run = simulation(new Shape(Math.max(before, after), before, 3),
					conditional(seed, 70, SKEW, false), PlantedBug.NONE, (cluster) -> (after > before)
							? joins(cluster.node("n" + before)) : new ChangeRequest.Remove("n" + after, false));
			assertThat(run.run()).as("seed %d", seed).isEmpty();
			begun += run.operators().begun();
		}
		assertThat(begun).as("changes that were begun").isGreaterThan(SEEDS / 4);
	}

	private static String told(long seed) {
		WholeNodeSimulation run = simulation(new Shape(3, 3, 3),
				Weather.dense(seed, Mode.MAJORITY, SKEW, Duration.ofHours(1), 0), PlantedBug.NONE, null);
		assertThat(run.run()).as("seed %d", seed).isEmpty();
		return run.cluster().judge().told();
	}

	/**
	 * The bug is caught, and without it the same run is judged to be right.
	 * @param first seed that catches it; when the product has changed, a later one may
	 */
	@ParameterizedTest
	@CsvSource({ "OPEN_GATE,0", "NO_REPAIR,0", "LATE_WORK,0", "DEAF_CLOCK,7", "BELIEVES_ALL,0", "FORGETS_MISSES,0" })
	void theSimulationCatchesAPlantedBug(PlantedBug bug, long first) {
		OptionalLong caught = LongStream.range(first, first + SEEDS_FOR_BUGS)
			.filter((seed) -> !planted(seed, bug).isEmpty())
			.findFirst();
		assertThat(caught).as("seed that catches %s", bug).isPresent();
		assertThat(planted(caught.getAsLong(), PlantedBug.NONE)).as("the same run without it").isEmpty();
	}

	private static List<String> planted(long seed, PlantedBug bug) {
		return simulation(new Shape(3, 3, 3), Weather.dense(seed, Mode.of(2, 2, 3), SKEW, Duration.ofSeconds(15), 0),
				bug, null)
			.run();
	}

	/** As above, of the rules of registers, in rougher weather. */
	@ParameterizedTest
	@CsvSource({ "WRITE_PASSES,50,0", "NO_SETTLE,50,0", "AMNESIAC_PROMISES,50,57", "SUPERSEDED_ACKS,50,149",
			"NEW_VERSION,80,454" })
	void theSimulationCatchesAPlantedBugOfRegisters(PlantedBug bug, int conditional, long first) {
		OptionalLong caught = LongStream.range(first, first + SEEDS_FOR_BUGS)
			.filter((seed) -> !rough(seed, conditional, bug).isEmpty())
			.findFirst();
		assertThat(caught).as("seed that catches %s", bug).isPresent();
		assertThat(rough(caught.getAsLong(), conditional, PlantedBug.NONE)).as("the same run without it").isEmpty();
	}

	/* Coordinators suspect replicas, and rounds meet. */
	private static List<String> rough(long seed, int conditional, PlantedBug bug) {
		Weather weather = conditional(seed, conditional, SKEW, false);
		weather.lostRequests = 150;
		weather.slow = 250;
		weather.cuts = 60;
		return simulation(new Shape(3, 3, 3), weather, bug, null).run();
	}

}
