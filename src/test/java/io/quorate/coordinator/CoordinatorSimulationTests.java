package io.quorate.coordinator;

import java.time.Duration;
import java.util.Random;

import io.quorate.Lane;
import io.quorate.coordinator.SimulatedCluster.Shape;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random histories of concurrent clients in virtual time, on nodes whose clocks differ
 * and move, which are killed, stand still and may not be read, and whose messages are
 * delayed, lost, doubled and refused, for a while also all from one node to another, and
 * which are rebuilt, and in some also while members join or leave. Each operation is
 * judged by its stamp: what begins after another has ended must know of it; and each key
 * by its values: majorities make a register of it. The name of a failed test and its seed
 * are all that is needed to see it fail again.
 */
class CoordinatorSimulationTests {

	static final int OPERATIONS = 120;

	private static final int SEEDS = Lane.seeds(20, 100, 10_000);

	private static final long BELIEVED = Duration.ofHours(1).toMillis();

	/* Milliseconds by which clocks differ while members change. */
	private static final long SKEW = 40_000;

	/* Bytes of the larger ones of the values. */
	private static final int LARGEST = 2;

	static final Duration LONGEST = Duration.ofSeconds(1);

	/* Values have a byte or two: all are left out, or some, or none. */
	@ParameterizedTest(
			name = "{0} nodes, {1} replicas, ack {2} and {3}, clocks {4} ms apart, {5} s believed, digests {6}")
	@CsvSource({ "3,3,2,2,0,3600,0", "3,3,2,2,40000,3600,0", "3,3,2,2,40000,3600,1", "3,3,2,2,40000,15,1",
			"3,3,2,2,40000,3600,2", "3,3,3,1,40000,3600,0", "3,3,1,3,40000,3600,0", "3,3,1,3,40000,3600,1",
			"5,3,2,2,40000,3600,0", "5,5,3,3,40000,3600,1", "5,5,3,3,40000,15,0", "5,5,3,3,40000,3600,0",
			"3,3,3,3,40000,3600,0", "4,4,3,3,0,3600,0", "2,2,2,2,40000,3600,0", "3,3,2,2,300,0.4,0",
			"5,5,3,3,300,0.4,0", "4,4,3,3,40000,3600,0" })
	void anOperationThatEndedIsKnownToLaterOnes(int nodes, int replicas, int writeAck, int readAck, long skew,
			double believedSeconds, int digestAbove) {
		long believed = (long) (believedSeconds * 1000);
		int answered = 0;
		double fetched = 0;
		int calmFailures = 0;
		/* A clock that is too far ahead refuses to stamp writes, in calm too. */
		int mostCalm = (believed > skew) ? SEEDS / 20 : Integer.MAX_VALUE;
		Shape shape = new Shape(nodes, replicas, skew, believed, digestAbove, LONGEST, 2 * writeAck > replicas);
		for (long seed = 0; seed < SEEDS; seed++) {
			try (SimulatedHistory history = new SimulatedHistory(seed, shape, writeAck, readAck, false)) {
				answered += history.run();
				calmFailures += history.calmFailures;
				fetched += history.cluster.meters.get("quorate.reads.fetched").counter().count();
			}
		}
		int share = (Math.max(writeAck, readAck) < replicas && believed > skew) ? 2 : 4;
		assertThat(answered).as("operations that succeeded").isGreaterThan(SEEDS * OPERATIONS / share);
		assertThat(calmFailures).as("operations that failed while nothing went wrong").isLessThanOrEqualTo(mostCalm);
		boolean isAnyLeftOut = digestAbove < LARGEST && readAck > 1;
		assertThat(fetched > SEEDS / 10.0).as("%f values asked for once more", fetched).isEqualTo(isAnyLeftOut);
	}

	/* Each node adopts the joint layout and the last one at another instant. */
	@ParameterizedTest(name = "from {0} to {1} members, ack {2} and {3}, {4} s believed, digests {5}")
	@CsvSource({ "3,4,2,2,3600,0", "3,4,2,2,3600,2", "4,3,2,2,3600,2", "5,4,2,2,3600,1", "3,4,3,1,3600,0",
			"4,3,1,3,3600,0", "3,4,2,2,15,0", "4,3,2,2,15,1" })
	void anOperationIsKnownToLaterOnesThroughAChangeOfMembers(int before, int after, int writeAck, int readAck,
			long believedSeconds, int digestAbove) {
		Shape shape = new Shape(Math.max(before, after), 3, SKEW, 1000 * believedSeconds, digestAbove, LONGEST,
				2 * writeAck > 3, before, after, 3);
		assertChangesAreUnnoticed(shape, writeAck, readAck);
	}

	/* From 3 to 5 at once: what a majority of 3 holds, a majority of 5 may miss. */
	@ParameterizedTest(name = "from {0} to {1} replicas on {2} nodes, digests {3}")
	@CsvSource({ "3,4,5,0", "3,5,5,2", "4,3,5,0", "5,3,5,1", "2,3,3,2", "3,2,4,0", "1,2,3,0" })
	void anOperationIsKnownToLaterOnesThroughAChangeOfTheFactor(int before, int after, int nodes, int digestAbove) {
		Shape shape = new Shape(nodes, before, SKEW, BELIEVED, digestAbove, LONGEST, before > 1, nodes, nodes, after);
		assertChangesAreUnnoticed(shape, before / 2 + 1, before / 2 + 1);
	}

	private static void assertChangesAreUnnoticed(Shape shape, int writeAck, int readAck) {
		int answered = 0;
		int copied = 0;
		int calmFailures = 0;
		for (long seed = 0; seed < SEEDS; seed++) {
			try (SimulatedHistory history = new SimulatedHistory(seed, shape, writeAck, readAck, false)) {
				answered += history.run();
				copied += history.cluster.layouts.isCopied() ? 1 : 0;
				calmFailures += history.calmFailures;
			}
		}
		boolean isBelieved = shape.believedMillis() > SKEW;
		assertThat(answered).as("operations that succeeded").isGreaterThan(SEEDS * OPERATIONS / (isBelieved ? 4 : 8));
		assertThat(calmFailures).as("operations that failed while nothing went wrong")
			.isLessThanOrEqualTo(isBelieved ? SEEDS / 20 : Integer.MAX_VALUE);
		assertThat(copied).as("changes that came to their last layout").isGreaterThan(SEEDS / 4);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 2 })
	void thereAreNeverMoreCopiesThanWereAskedFor(int digestAbove) {
		Shape shape = new Shape(5, 3, 40_000, BELIEVED, digestAbove, LONGEST, false);
		for (long seed = 0; seed < SEEDS; seed++) {
			try (SimulatedHistory history = new SimulatedHistory(seed, shape, 2, 2, true)) {
				history.run();
			}
		}
	}

}
