package io.quorate.history;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

import io.quorate.history.RegisterHistory.Kind;
import io.quorate.history.RegisterHistory.Verdict;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RegisterHistoryTests {

	private static final int MOST_STATES = 100_000;

	private final RegisterHistory history = new RegisterHistory();

	@Test
	void overlappingWritesMayHaveHappenedInAnyOrder() {
		this.history.written(1, 0, 10);
		this.history.written(2, 0, 10);
		this.history.read(1, 11, 12);
		assertThat(verdict()).isEqualTo(Verdict.LINEARIZABLE);
	}

	@Test
	void anAcknowledgedWriteIsNotLost() {
		this.history.written(1, 0, 10);
		this.history.read(RegisterHistory.ABSENT, 11, 12);
		assertThat(verdict()).isEqualTo(Verdict.VIOLATED);
	}

	@Test
	void aReadOfAnOverwrittenValueIsAViolation() {
		this.history.written(1, 0, 10);
		this.history.written(2, 11, 12);
		this.history.read(1, 13, 14);
		assertThat(verdict()).isEqualTo(Verdict.VIOLATED);
		assertThat(this.history.readsThatGoBack()).isEmpty();
	}

	@Test
	void aReadDoesNotGoBack() {
		this.history.written(1, 0, 100);
		this.history.read(1, 10, 11);
		this.history.read(RegisterHistory.ABSENT, 20, 21);
		this.history.written(RegisterHistory.ABSENT, 0, 100);
		assertThat(verdict()).isEqualTo(Verdict.LINEARIZABLE);
		this.history.read(1, 30, 31);
		assertThat(verdict()).isEqualTo(Verdict.VIOLATED);
		assertThat(this.history.readsThatGoBack()).hasSize(1);
	}

	@Test
	void aWriteOfUnknownOutcomeHappensLateOrNever() {
		this.history.unknown(1, 0);
		this.history.written(2, 10, 11);
		this.history.read(2, 20, 21);
		assertThat(verdict()).isEqualTo(Verdict.LINEARIZABLE);
		this.history.read(1, 30, 31);
		assertThat(verdict()).isEqualTo(Verdict.LINEARIZABLE);
		this.history.read(2, 40, 41);
		assertThat(verdict()).isEqualTo(Verdict.VIOLATED);
	}

	@Test
	void aDeletionOfUnknownOutcomeHappensOnce() {
		this.history.written(1, 0, 1);
		this.history.unknown(RegisterHistory.ABSENT, 2);
		this.history.read(RegisterHistory.ABSENT, 10, 11);
		this.history.written(2, 12, 13);
		assertThat(verdict()).isEqualTo(Verdict.LINEARIZABLE);
		this.history.read(RegisterHistory.ABSENT, 14, 15);
		assertThat(verdict()).isEqualTo(Verdict.VIOLATED);
	}

	@Test
	void aWriteThatIsSettledDoesNotHappenLater() {
		this.history.unknownReplaced(RegisterHistory.ABSENT, 1, 0, 10);
		this.history.readSettled(RegisterHistory.ABSENT, 10, 12);
		this.history.read(RegisterHistory.ABSENT, 11, 13);
		this.history.read(1, 20, 21);
		assertThat(verdict()).isEqualTo(Verdict.LINEARIZABLE);
		this.history.readSettled(RegisterHistory.ABSENT, 11, 13);
		assertThat(verdict()).isEqualTo(Verdict.VIOLATED);
	}

	@Test
	void aWriteHappensBeforeWhatSettlesIt() {
		this.history.unknownReplaced(RegisterHistory.ABSENT, 1, 0, 10);
		this.history.readSettled(RegisterHistory.ABSENT, 8, 30);
		this.history.replaced(1, 2, 11, 20);
		assertThat(verdict()).isEqualTo(Verdict.LINEARIZABLE);
	}

	@Test
	void aHistoryThatIsTooMuchWorkIsUndecided() {
		for (int value = 1; value <= 40; value++) {
			this.history.written(value, 0, 1000);
			this.history.read(value, 0, 1000);
		}
		this.history.read(99, 2000, 2001);
		assertThat(verdict()).isEqualTo(Verdict.UNDECIDED);
	}

	/** Against all orders of a few operations, one by one. */
	@Test
	void theSearchFindsWhatTryingAllOrdersFinds() {
		int violated = 0;
		for (long seed = 0; seed < 3000; seed++) {
			SplittableRandom random = new SplittableRandom(seed);
			RegisterHistory some = new RegisterHistory();
			List<RegisterHistory.Operation> all = new ArrayList<>();
			for (int i = 1; i <= 6; i++) {
				long began = random.nextInt(20);
				long ended = (random.nextInt(6) == 0) ? Long.MAX_VALUE : began + 1 + random.nextInt(8);
				boolean isWrite = random.nextBoolean() || ended == Long.MAX_VALUE;
				int value = isWrite ? ((random.nextInt(4) == 0) ? RegisterHistory.ABSENT : i) : random.nextInt(7);
				boolean isUnknown = ended == Long.MAX_VALUE;
				all.add(new RegisterHistory.Operation(isUnknown ? Kind.UNKNOWN : isWrite ? Kind.WRITE : Kind.READ,
						RegisterHistory.ANYTHING, value, began, ended));
				if (!isWrite) {
					some.read(value, began, ended);
				}
				else if (ended == Long.MAX_VALUE) {
					some.unknown(value, began);
				}
				else {
					some.written(value, began, ended);
				}
			}
			boolean isLinearizable = isAnyOrder(all, RegisterHistory.ABSENT);
			violated += isLinearizable ? 0 : 1;
			assertThat(some.linearizable(MOST_STATES)).as("seed %d:%n%s", seed, some)
				.isEqualTo(isLinearizable ? Verdict.LINEARIZABLE : Verdict.VIOLATED);
			if (!some.readsThatGoBack().isEmpty()) {
				assertThat(isLinearizable).as("seed %d:%n%s", seed, some).isFalse();
			}
		}
		assertThat(violated).isBetween(500, 2900);
	}

	private static boolean isAnyOrder(List<RegisterHistory.Operation> left, int value) {
		if (left.stream().allMatch(RegisterHistory.Operation::isUnknown)) {
			return true;
		}
		long firstEnd = left.stream().mapToLong(RegisterHistory.Operation::ended).min().orElseThrow();
		for (RegisterHistory.Operation next : left) {
			if (next.began() <= firstEnd && (next.isWrite() || next.value() == value)) {
				List<RegisterHistory.Operation> others = new ArrayList<>(left);
				others.remove(next);
				if (isAnyOrder(others, next.value())) {
					return true;
				}
			}
		}
		return false;
	}

	private Verdict verdict() {
		return this.history.linearizable(MOST_STATES);
	}

}
