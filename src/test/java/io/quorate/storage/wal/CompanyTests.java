package io.quorate.storage.wal;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CompanyTests {

	private static final long GATHER = 1000;

	private static final long LATE = 10;

	private final Company company = new Company(GATHER);

	@Test
	void whoWritesAloneWaitsForNobody() {
		assertThat(this.company.patienceNanos(0)).isZero();
		this.company.came(2, 0);
		assertThat(this.company.patienceNanos(0)).isZero();
	}

	@Test
	void severalWaitUntilTheNextForceIsDue() {
		this.company.came(3, 0);
		assertThat(this.company.patienceNanos(200)).isEqualTo(800);
		assertThat(this.company.patienceNanos(1200)).isNegative();
		assertThat(this.company.expected()).isEqualTo(Company.ENOUGH);
	}

	@Test
	void afterAWaitThatEndedInSilenceAsManyAreEnough() {
		assertThat(fastAfter(16)).isEqualTo(8);
	}

	@Test
	void whatIsConfirmedIsBelievedLonger() {
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
			assertThat(this.company.expected()).isEqualTo(Company.ENOUGH);
		}
	}

	@Test
	void fewerThanExpectedAreNotBelievedOnceTheyComeLate() {
		fastAfter(16);
		batch(16, 800, 790);
		batch(12, 800, LATE);
		assertThat(this.company.expected()).isEqualTo(Company.ENOUGH);
		assertThat(fastAfter(5)).isEqualTo(8);
	}

	/** Even where they were seen to come together: in two batches they wait less. */
	@Test
	void nobodyWaitsForMoreThanAreEnough() {
		batch(100, 800, 790);
		assertThat(this.company.expected()).isEqualTo(Company.ENOUGH);
	}

	@Test
	void whatDidNotWaitTeachesNothing() {
		this.company.came(16, 5000);
		assertThat(this.company.expected()).isEqualTo(Company.ENOUGH);
	}

	@Test
	void silenceAfterASlowForceIsNoNews() {
		batch(8, 400, 390);
		assertThat(this.company.expected()).isEqualTo(Company.ENOUGH);
		batch(8, 500, 490);
		assertThat(this.company.expected()).isEqualTo(8);
	}

	@Test
	void nobodyIsWaitedForAfterAWaitInVain() {
		this.company.came(8, 0);
		this.company.waited(1000);
		this.company.nobodyCame();
		assertThat(this.company.patienceNanos(0)).isZero();
		this.company.came(8, 5000);
		assertThat(this.company.expected()).as("what came later has nothing to do with the wait")
			.isEqualTo(Company.ENOUGH);
	}

	/** One wait in silence, and then so many batches that need not wait to the end. */
	private int fastAfter(int writers) {
		batch(writers, 800, 790);
		int fast = 0;
		while (this.company.expected() != Company.ENOUGH) {
			assertThat(this.company.expected()).isEqualTo(writers);
			batch(writers, 50, LATE);
			fast++;
		}
		return fast;
	}

	private void batch(int writes, long waited, long silent) {
		this.company.waited(waited);
		this.company.came(writes, silent);
	}

}
