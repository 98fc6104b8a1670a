package io.quorate.storage.wal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class GroupCommitTests {

	private static final long GATHER = 1000;

	private static final long LATE = 10;

	private final GroupCommit groupCommit = new GroupCommit(GATHER, 0);

	@Test
	void oneOrTwoWritesDoNotWaitForMore() {
		useUpBurst();
		assertThat(this.groupCommit.patienceNanos(0)).isZero();
		this.groupCommit.came(2, 0);
		assertThat(this.groupCommit.patienceNanos(0)).isZero();
	}

	@Test
	void severalWaitUntilTheNextForceIsDue() {
		useUpBurst();
		this.groupCommit.came(3, 0);
		assertThat(this.groupCommit.patienceNanos(200)).isEqualTo(800);
		assertThat(this.groupCommit.patienceNanos(1200)).isNegative();
		assertThat(this.groupCommit.expected()).isEqualTo(GroupCommit.ENOUGH);
	}

	@Test
	void aBurstAfterIdleTimeDoesNotWait() {
		useUpBurst();
		long now = 1_000_000;
		for (int i = 0; i < GroupCommit.BURST; i++) {
			this.groupCommit.came(8, 0);
			assertThat(this.groupCommit.patienceNanos(now)).as("patience of force %d", i).isNotPositive();
			this.groupCommit.forceBegins(now);
		}
		assertThat(this.groupCommit.patienceNanos(now)).isEqualTo(GATHER);
	}

	@Test
	void forcesThatDoNotWaitKeepNoLaterOneWaitingLonger() {
		useUpBurst();
		for (int i = 0; i < 100; i++) {
			this.groupCommit.forceBegins(0);
		}
		this.groupCommit.came(8, 0);
		assertThat(this.groupCommit.patienceNanos(0)).isEqualTo(GATHER);
	}

	@Test
	void withoutAWindowNothingWaits() {
		GroupCommit none = new GroupCommit(0, 0);
		for (int i = 0; i < 100; i++) {
			none.came(8, 0);
			none.forceBegins(i);
			assertThat(none.patienceNanos(i)).isNotPositive();
		}
	}

	@Test
	void aLogThatIsMostlyIdleKeepsNoWriteWaiting() {
		SimulatedLog log = new SimulatedLog();
		for (int burst = 0; burst < 40; burst++) {
			for (int write = 0; write < 100; write++) {
				log.submitAt(burst * 25L * SimulatedLog.MILLI + write / 12 * 100L);
			}
		}
		log.run();
		assertThat(log.longestMicros).as("longest time until a write was on the disk")
			.isLessThanOrEqualTo(2 * SimulatedLog.FORCE);
	}

	@Test
	void aLogThatIsBusyForcesOnceInAWindow() {
		SimulatedLog log = new SimulatedLog();
		new Random(1).longs(8000, 0, 1000 * SimulatedLog.MILLI).sorted().forEach(log::submitAt);
		log.run();
		assertThat(log.forces).as("forces of one second").isBetween(480, 550);
		assertThat(log.longestMicros).isLessThanOrEqualTo(SimulatedLog.GATHER + 2 * SimulatedLog.FORCE);
	}

	@Test
	void afterAWaitThatEndedInSilenceAsManyAreEnough() {
		assertThat(fastAfter(16)).isEqualTo(8);
	}

	@Test
	void aConfirmedNumberOfWritersIsTrustedForMoreBatches() {
		assertThat(fastAfter(16)).isEqualTo(8);
		assertThat(fastAfter(16)).isEqualTo(16);
		assertThat(fastAfter(16)).isEqualTo(32);
		assertThat(fastAfter(16)).isEqualTo(64);
		assertThat(fastAfter(16)).isEqualTo(64);
	}

	@Test
	void writesThatComeUntilTheEndAreWaitedFor() {
		for (int i = 0; i < 100; i++) {
			batch(8, 800, 120);
			assertThat(this.groupCommit.expected()).isEqualTo(GroupCommit.ENOUGH);
		}
	}

	@Test
	void fewerThanExpectedAreNotBelievedOnceTheyComeLate() {
		fastAfter(16);
		batch(16, 800, 790);
		batch(12, 800, LATE);
		assertThat(this.groupCommit.expected()).isEqualTo(GroupCommit.ENOUGH);
		assertThat(fastAfter(5)).isEqualTo(8);
	}

	/** Even where they were seen to come together: in two batches they wait less. */
	@Test
	void aBatchWaitsForNoMoreWritesThanAreEnough() {
		batch(100, 800, 790);
		assertThat(this.groupCommit.expected()).isEqualTo(GroupCommit.ENOUGH);
	}

	@Test
	void aBatchThatDidNotWaitChangesNoExpectation() {
		this.groupCommit.came(16, 5000);
		assertThat(this.groupCommit.expected()).isEqualTo(GroupCommit.ENOUGH);
	}

	@Test
	void silenceAfterASlowForceIsNoNews() {
		batch(8, 400, 390);
		assertThat(this.groupCommit.expected()).isEqualTo(GroupCommit.ENOUGH);
		batch(8, 500, 490);
		assertThat(this.groupCommit.expected()).isEqualTo(8);
	}

	@Test
	void noBatchWaitsAfterAWaitWithoutArrivals() {
		useUpBurst();
		this.groupCommit.came(8, 0);
		this.groupCommit.waited(1000);
		this.groupCommit.noneCame();
		assertThat(this.groupCommit.patienceNanos(0)).isZero();
		this.groupCommit.came(8, 5000);
		assertThat(this.groupCommit.expected()).as("what came later has nothing to do with the wait")
			.isEqualTo(GroupCommit.ENOUGH);
	}

	/** One wait in silence, and then so many batches that need not wait to the end. */
	private int fastAfter(int writers) {
		batch(writers, 800, 790);
		int fast = 0;
		while (this.groupCommit.expected() != GroupCommit.ENOUGH) {
			assertThat(this.groupCommit.expected()).isEqualTo(writers);
			batch(writers, 50, LATE);
			fast++;
		}
		return fast;
	}

	private void batch(int writes, long waited, long silent) {
		this.groupCommit.waited(waited);
		this.groupCommit.came(writes, silent);
	}

	private void useUpBurst() {
		for (int i = 0; i <= GroupCommit.BURST; i++) {
			this.groupCommit.forceBegins(0);
		}
	}

	/** A log with a simulated clock, queue and disk. Times are in microseconds. */
	private static final class SimulatedLog {

		private static final long MILLI = 1000;

		private static final long GATHER = 2 * MILLI;

		private static final long FORCE = 200;

		private final GroupCommit groupCommit = new GroupCommit(GATHER, 0);

		private final Deque<Long> submitted = new ArrayDeque<>();

		private long now;

		private int forces;

		private long longestMicros;

		private void submitAt(long micros) {
			this.submitted.add(micros);
		}

		private void run() {
			while (!this.submitted.isEmpty()) {
				awaitGroup();
				if (waiting() > 0) {
					force();
				}
				else {
					this.groupCommit.noneCame();
					this.now = this.submitted.peek();
				}
			}
		}

		private void awaitGroup() {
			long begun = this.now;
			while (this.groupCommit.patienceNanos(this.now) > 0 && waiting() < this.groupCommit.expected()) {
				this.now++;
			}
			this.groupCommit.waited(this.now - begun);
		}

		private long waiting() {
			return this.submitted.stream().takeWhile((at) -> at <= this.now).count();
		}

		private void force() {
			int writes = (int) waiting();
			List<Long> taken = new ArrayList<>();
			for (int i = 0; i < writes; i++) {
				taken.add(this.submitted.remove());
			}
			this.groupCommit.came(writes, this.now - taken.getLast());
			this.groupCommit.forceBegins(this.now);
			this.forces++;
			this.now += FORCE;
			this.longestMicros = Math.max(this.longestMicros, this.now - taken.getFirst());
		}

	}

}
