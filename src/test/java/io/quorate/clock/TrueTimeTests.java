package io.quorate.clock;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class TrueTimeTests {

	private static final long NOW = 1_000_000;

	private static final List<String> THREE = List.of("a", "b", "c");

	/* By how much a clock that is right is wrong at most. */
	private static final int E = 250;

	private static final long[] RIGHT = { -E, 0, E };

	private static final long[] WRONG = { -50_000, -3 * E, -2 * E, -E - 1, E + 1, 2 * E, 3 * E, 50_000 };

	private long ownMillis = NOW;

	private long bootMillis = 77_000;

	private final TrueTime time = new TrueTime(() -> this.ownMillis,
			() -> TimeUnit.MILLISECONDS.toNanos(this.bootMillis));

	private void heard(String member, long millis, long roundTripMillis) {
		this.time.heard(member, millis, TimeUnit.MILLISECONDS.toNanos(this.bootMillis - roundTripMillis));
	}

	private long millis() {
		return this.time.millis(THREE, "a");
	}

	private void pass(long millis) {
		this.ownMillis += millis;
		this.bootMillis += millis;
	}

	/* A choice of digits: each clock is unheard, right in some way, or wrong in one. */
	private static long[] clocks(int choice, int all, List<Long> right) {
		List<Long> read = new ArrayList<>();
		int rest = choice;
		int wrong = 0;
		for (int i = 0; i < all; i++) {
			int digit = rest % (1 + RIGHT.length + WRONG.length);
			rest /= 1 + RIGHT.length + WRONG.length;
			if (digit > RIGHT.length) {
				read.add(WRONG[digit - RIGHT.length - 1]);
				wrong++;
			}
			else if (digit > 0) {
				read.add(RIGHT[digit - 1]);
				right.add(RIGHT[digit - 1]);
			}
		}
		return (2 * wrong < all) ? read.stream().mapToLong(Long::longValue).toArray() : new long[0];
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3, 4, 5 })
	void theMiddleIsRightWhileFewerThanHalfAreWrong(int all) {
		int choices = (int) Math.pow(1 + RIGHT.length + WRONG.length, all);
		int known = 0;
		for (int choice = 0; choice < choices; choice++) {
			List<Long> right = new ArrayList<>();
			long[] read = clocks(choice, all, right);
			long middle = TrueTime.middle(read, all, 2 * E);
			if (middle != TrueTime.UNKNOWN) {
				known++;
				assertThat(Math.abs(middle)).as("of %s", choice).isLessThanOrEqualTo(2 * E);
			}
			if (read.length > 0 && 2 * right.size() > all) {
				assertThat(middle).as("a majority is read and right").isNotEqualTo(TrueTime.UNKNOWN);
			}
		}
		assertThat(known).isPositive();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			3 | -50000 0 0       | 0
			3 | -50000 100 200   | 150
			3 | 0 400 450        | 425
			3 | 0 500            | 250
			3 | 0 501            |
			3 | -50000 0         |
			3 | 0                |
			3 |                  |
			1 | 7                | 7
			2 | 7                |
			2 | 0 500            | 250
			4 | 0 10             |
			4 | 0 10 20          | 10
			5 | 0 9 20 30000 -30000 | 10
			5 | 0 0 9 30000 30000   | 4
			5 | 30000 30000 30000 0 0 | 30000
			""")
	void theTightestMajorityDecides(int all, String read, Long middle) {
		long[] clocks = (read != null) ? List.of(read.split(" ", -1)).stream().mapToLong(Long::parseLong).toArray()
				: new long[0];
		assertThat(TrueTime.middle(clocks, all, 2 * E)).isEqualTo((middle != null) ? middle : TrueTime.UNKNOWN);
	}

	@Test
	void aReadingIsOfTheMiddleOfItsRoundTripAndIsAged() {
		heard("b", NOW - 60, 100);
		pass(100);
		heard("b", NOW + 40, 100);
		assertThat(millis()).isEqualTo(NOW + 95);
		pass(1000);
		assertThat(millis()).isEqualTo(NOW + 1095);
		pass(500);
		assertThat(millis()).isEqualTo(NOW + 1595);
		pass(1);
		assertThat(millis()).as("it is too old").isEqualTo(TrueTime.UNKNOWN);
	}

	@Test
	void aReadingThatTookLongIsNotUsed() {
		heard("b", NOW, 101);
		pass(101);
		heard("b", NOW + 101, 101);
		assertThat(millis()).isEqualTo(TrueTime.UNKNOWN);
		pass(100);
		heard("b", NOW + 201, 100);
		assertThat(millis()).as("the first that is exact").isEqualTo(TrueTime.UNKNOWN);
		pass(100);
		heard("b", NOW + 301, 100);
		heard("b", NOW + 301, 101);
		assertThat(millis()).as("the one before is").isEqualTo(NOW + 326);
	}

	@Test
	void aMemberWhoseAnswersTakeLongIsNoReasonToDoubtOthers() {
		heard("b", NOW, 150);
		for (int i = 1; i <= 10; i++) {
			pass(200);
			heard("c", NOW + 200L * i, 0);
			heard("b", NOW + 200L * i, 150);
		}
		assertThat(millis()).isEqualTo(NOW + 2000);
	}

	/* The answer came while it stood still, and lay there. */
	@Test
	void anAnswerThatCameWhileTheMachineStoodStillIsNotUsed() {
		heard("b", NOW, 0);
		heard("c", NOW, 0);
		pass(1);
		long asked = this.time.nanos();
		pass(1);
		this.time.heard("c", NOW + 10_001, asked);
		assertThat(millis()).isEqualTo(TrueTime.UNKNOWN);
		pass(1);
		heard("c", NOW + 10_003, 0);
		assertThat(millis()).as("b's is from before").isEqualTo(TrueTime.UNKNOWN);
	}

	@Test
	void theClockOfANodeThatIsNoMemberDoesNotCount() {
		heard("d", NOW, 0);
		assertThat(millis()).isEqualTo(TrueTime.UNKNOWN);
		heard("b", NOW, 0);
		assertThat(this.time.millis(List.of("b", "c"), "a")).as("nor does its own").isEqualTo(TrueTime.UNKNOWN);
		assertThat(this.time.millis(List.of("a"), "a")).isEqualTo(NOW);
	}

	@Test
	void theOwnClockMayBeWrong() {
		heard("b", NOW, 0);
		heard("c", NOW + 2, 0);
		this.ownMillis += 50_000;
		assertThat(millis()).isEqualTo(NOW + 1);
		this.ownMillis -= 100_000;
		assertThat(millis()).isEqualTo(NOW + 1);
	}

	/* All of its clocks stand still for 10 s. */
	private void standStill() {
		pass(1);
	}

	@Test
	void aMachineThatStoodStillDoesNotBelieveAnOldReading() {
		heard("b", NOW, 0);
		heard("c", NOW, 0);
		standStill();
		heard("b", NOW + 10_001, 0);
		assertThat(millis()).isEqualTo(TrueTime.UNKNOWN);
		heard("c", NOW + 10_001, 0);
		assertThat(millis()).isEqualTo(NOW + 10_001);
	}

	@Test
	void anAnswerThatIsLateShowsThatTheMachineStoodStill() {
		heard("b", NOW, 0);
		heard("c", NOW, 0);
		standStill();
		pass(150);
		heard("b", NOW + 10_076, 150);
		assertThat(millis()).isEqualTo(TrueTime.UNKNOWN);
	}

	/* However old the reading before is. */
	@Test
	void aReadingLongAfterTheOneBeforeShowsThatTheMachineStoodStill() {
		heard("b", NOW, 0);
		pass(2000);
		heard("c", NOW + 2000, 0);
		standStill();
		heard("b", NOW + 12_001, 0);
		assertThat(millis()).isEqualTo(TrueTime.UNKNOWN);
	}

	/* That of c after 3 s may err by more than the machine stands still. */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aReadingThatTookLongDoesNotHideThatTheMachineStoodStill(boolean isFirst) {
		heard("c", NOW, isFirst ? 101 : 0);
		pass(3000);
		heard("b", NOW + 3000, 0);
		pass(1);
		heard("c", NOW + 1501, 3000);
		// It stands still for 1.4 s.
		long since = this.time.nanos();
		pass(1);
		heard("c", NOW + 4402, 0);
		assertThat(this.time.millisSince(THREE, "a", since)).as("b's is from before").isEqualTo(TrueTime.UNKNOWN);
		pass(1);
		heard("c", NOW + 4403, 0);
		heard("b", NOW + 4403, 0);
		assertThat(this.time.millisSince(THREE, "a", since)).isEqualTo(NOW + 4403);
	}

	@Test
	void aShortReadingAfterALongOneIsNoReasonToDoubtOthers() {
		heard("c", NOW, 0);
		pass(10_000);
		heard("b", NOW + 10_000, 0);
		heard("c", NOW + 10_000, 150);
		pass(1);
		heard("c", NOW + 10_001, 0);
		assertThat(this.time.millis(List.of("a", "b"), "a")).isEqualTo(NOW + 10_001);
	}

	/* Each later one is apart from the last that was exact. */
	@Test
	void aClockThatWasMovedIsOneReasonToDoubtOthers() {
		heard("c", NOW, 0);
		pass(1);
		heard("c", NOW + 50_000, 150);
		pass(200);
		heard("b", NOW + 201, 0);
		heard("c", NOW + 50_200, 150);
		assertThat(this.time.millis(List.of("a", "b"), "a")).isEqualTo(NOW + 201);
	}

	@Test
	void aFirstReadingMayShowThatTheMachineStoodStill() {
		heard("c", NOW, 0);
		standStill();
		heard("b", NOW + 10_001, 0);
		assertThat(millis()).isEqualTo(TrueTime.UNKNOWN);
		heard("c", NOW + 10_001, 0);
		assertThat(millis()).isEqualTo(NOW + 10_001);
	}

	/* A thread that has the answer may stand still before it records it. */
	@Test
	void theRoundTripEndsWhenTheReadingIsRecorded() {
		pass(2000);
		this.time.heard("b", NOW, TimeUnit.MILLISECONDS.toNanos(this.bootMillis - 2000));
		this.time.heard("c", NOW, TimeUnit.MILLISECONDS.toNanos(this.bootMillis - 2000));
		assertThat(millis()).isEqualTo(TrueTime.UNKNOWN);
	}

	@Test
	void aClockThatRunsAsItShouldIsNoReasonToDoubtOthers() {
		heard("b", NOW, 100);
		heard("c", NOW + 40, 0);
		pass(1);
		heard("b", NOW, 100);
		heard("b", NOW - 100, 100);
		assertThat(millis()).isNotEqualTo(TrueTime.UNKNOWN);
		pass(100_000);
		heard("c", NOW + 100_100, 0);
		pass(1);
		heard("b", NOW + 99_800, 0);
		assertThat(millis()).as("both drift").isEqualTo(NOW + 100_051);
	}

	@Test
	void aClockMayBeReadSinceAnInstantOnly() {
		heard("b", NOW, 0);
		pass(1);
		long since = this.time.nanos();
		assertThat(this.time.millisSince(THREE, "a", since)).isEqualTo(TrueTime.UNKNOWN);
		assertThat(millis()).isEqualTo(NOW + 1);
		heard("b", NOW, 1);
		assertThat(this.time.millisSince(THREE, "a", since)).as("it was asked for before").isEqualTo(TrueTime.UNKNOWN);
		heard("b", NOW + 1, 0);
		assertThat(this.time.millisSince(THREE, "a", since)).isEqualTo(NOW + 1);
		assertThat(this.time.millisSince(List.of("a"), "a", since)).as("alone").isEqualTo(NOW + 1);
	}

	/* One member after the other is moved by 50 s and back; clocks err by 40 ms. */
	@ParameterizedTest
	@ValueSource(ints = { 3, 4, 5 })
	void oneClockThatIsMovedNowAndThenChangesNothing(int all) {
		for (long seed = 0; seed < 40; seed++) {
			Random random = new Random(seed * 31 + all);
			List<String> members = List.of("a", "b", "c", "d", "e").subList(0, all);
			long[] off = random.longs(all, -40, 41).toArray();
			int known = 0;
			int moved = -1;
			for (int tick = 0; tick < 600; tick++) {
				if (tick % 40 == 0) {
					moved = (moved >= 0) ? -1 : random.nextInt(all);
				}
				long by = (random.nextInt(2) * 2 - 1) * 50_000L;
				pass(100);
				long real = this.bootMillis;
				this.ownMillis = real + off[0] + ((moved == 0) ? by : 0);
				for (int i = 1; i < all; i++) {
					if (random.nextInt(5) == 0) {
						long back = random.nextInt(100);
						heard(members.get(i), real - back + off[i] + ((moved == i) ? by : 0),
								back + random.nextInt(100));
					}
				}
				long millis = this.time.millis(members, "a");
				if (millis != TrueTime.UNKNOWN) {
					known++;
					assertThat(Math.abs(millis - real)).as("seed %d at %d", seed, tick).isLessThanOrEqualTo(2 * E);
				}
			}
			assertThat(known).as("seed %d", seed).isGreaterThan(100);
			this.bootMillis += 10_000;
		}
	}

}
