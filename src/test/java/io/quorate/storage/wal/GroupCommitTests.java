package io.quorate.storage.wal;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class GroupCommitTests {

	private static final long GATHER = 1000;

	private static final long LATE = 10;

	private final GroupCommit groupCommit = new GroupCommit(GATHER);

	@Test
	void oneOrTwoWritesDoNotWaitForMore() {
		assertThat(this.groupCommit.patienceNanos(0)).isZero();
		this.groupCommit.came(2, 0);
		assertThat(this.groupCommit.patienceNanos(0)).isZero();
	}

	@Test
	void severalWaitUntilTheNextForceIsDue() {
		this.groupCommit.came(3, 0);
		assertThat(this.groupCommit.patienceNanos(200)).isEqualTo(800);
		assertThat(this.groupCommit.patienceNanos(1200)).isNegative();
		assertThat(this.groupCommit.expected()).isEqualTo(GroupCommit.ENOUGH);
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

}
