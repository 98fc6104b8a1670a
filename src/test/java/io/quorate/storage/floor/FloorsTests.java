package io.quorate.storage.floor;

import java.util.Set;

import io.quorate.entry.Partitions;
import io.quorate.storage.ShareChange;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FloorsTests {

	private static final long HASH = 0x1234_5678_9abc_def0L;

	private static final int PARTITION = Partitions.of(HASH);

	private static final Set<Integer> IT = Set.of(PARTITION);

	@Test
	void nothingIsHiddenAtFirst() {
		assertThat(Floors.NONE.hides(HASH, 0)).isFalse();
		assertThat(Floors.NONE.hides(HASH, 1)).isFalse();
		assertThat(Floors.NONE.isLost(HASH)).isFalse();
		assertThat(Floors.NONE.isCleanTable(1)).isTrue();
		assertThat(Floors.NONE.isCleanSegment(1)).isTrue();
		assertThat(Floors.NONE.version()).isZero();
	}

	@Test
	void aGainHidesWhatArrivedBefore() {
		Floors gained = Floors.NONE.after(new ShareChange(3, IT, Set.of()), 40, 7);
		assertThat(gained.hides(HASH, 40)).isTrue();
		assertThat(gained.hides(HASH, 41)).isFalse();
		assertThat(gained.hides(~HASH, 40)).isFalse();
		assertThat(gained.isLost(HASH)).isFalse();
		assertThat(gained.highest()).isEqualTo(40);
		assertThat(gained.version()).isEqualTo(3);
		assertThat(gained.isCleanTable(6)).isFalse();
		assertThat(gained.isCleanTable(7)).isTrue();
		assertThat(gained.raised()).isOne();
		assertThat(gained.lost()).isZero();
	}

	@Test
	void aLossHidesWhatWillArrive() {
		Floors lost = Floors.NONE.after(new ShareChange(3, Set.of(), IT), 40, 7);
		assertThat(lost.hides(HASH, Long.MAX_VALUE)).isTrue();
		assertThat(lost.isLost(HASH)).isTrue();
		assertThat(lost.hasLost()).isTrue();
		assertThat(lost.isLost(~HASH)).isFalse();
		assertThat(lost.highest()).as("of those that are not lost").isZero();
		assertThat(lost.lost()).isOne();
	}

	@Test
	void aRestoredStoreTakesAnewWhatItHadLost() {
		Floors lost = Floors.NONE.after(new ShareChange(3, Set.of(), IT), 40, 7);
		Floors restored = lost.withoutLosses(50);
		assertThat(restored.hasLost()).isFalse();
		assertThat(restored.hides(HASH, 50)).isTrue();
		assertThat(restored.hides(HASH, 51)).isFalse();
		assertThat(restored.hides(~HASH, 1)).isFalse();
		assertThat(restored.version()).as("any layout may follow").isZero();
		assertThat(restored.isCleanTable(6)).as("older tables have what it hides").isFalse();
	}

	/* Its layout assigns to it what it had lost before: it was recovered. */
	@Test
	void aStoreGainsAtItsStartWhatItHoldsAndHadLost() {
		Floors lost = Floors.NONE.after(new ShareChange(3, Set.of(), IT), 40, 7);
		ShareChange whole = new ShareChange(9, Set.of(), Set.of(PARTITION + 1), true);
		Floors started = lost.after(whole, 50, 8);
		assertThat(started.isLost(HASH)).isFalse();
		assertThat(started.hides(HASH, 50)).isTrue();
		assertThat(started.hides(HASH, 51)).isFalse();
		assertThat(started.lost()).as("what it does not hold").isOne();
		assertThat(started.of(PARTITION + 2)).as("what it has always held").isZero();
		assertThat(lost.after(new ShareChange(9, Set.of(), Set.of(PARTITION + 1)), 50, 8).isLost(HASH)).isTrue();
	}

	@Test
	void aChangeThatGainsWhatWasLostMovesSomething() {
		Floors lost = Floors.NONE.after(new ShareChange(3, Set.of(), IT), 40, 7);
		assertThat(lost.isMovedBy(new ShareChange(9, Set.of(), Set.of(), true))).isTrue();
		assertThat(lost.isMovedBy(new ShareChange(9, Set.of(), Set.of()))).isFalse();
		assertThat(lost.isMovedBy(new ShareChange(9, Set.of(), IT))).isTrue();
		assertThat(Floors.NONE.isMovedBy(new ShareChange(9, Set.of(), Set.of(), true))).isFalse();
	}

	@Test
	void aSecondGainHidesWhatArrivedAfterTheFirst() {
		Floors again = Floors.NONE.after(new ShareChange(3, IT, Set.of()), 40, 7)
			.after(new ShareChange(4, Set.of(), IT), 50, 8)
			.after(new ShareChange(5, IT, Set.of()), 60, 9);
		assertThat(again.hides(HASH, 60)).isTrue();
		assertThat(again.hides(HASH, 61)).isFalse();
		assertThat(again.hasLost()).isFalse();
	}

	@Test
	void aPartitionThatIsKeptKeepsItsFloor() {
		Floors kept = Floors.NONE.after(new ShareChange(3, IT, Set.of()), 40, 7)
			.after(new ShareChange(4, Set.of(), Set.of(PARTITION + 1)), 50, 8);
		assertThat(kept.hides(HASH, 40)).isTrue();
		assertThat(kept.hides(HASH, 41)).isFalse();
	}

	@Test
	void tablesNeedNoOtherLookForLostPartitionsThatAreGained() {
		Floors lost = Floors.NONE.after(new ShareChange(3, Set.of(), IT), 40, 7);
		assertThat(lost.after(new ShareChange(4, IT, Set.of()), 50, 8).firstCleanTable()).isEqualTo(7);
		assertThat(lost.after(new ShareChange(4, Set.of(), IT), 50, 8).firstCleanTable()).isEqualTo(7);
		assertThat(lost.after(new ShareChange(4, Set.of(PARTITION + 1), Set.of()), 50, 8).firstCleanTable())
			.isEqualTo(8);
		assertThat(lost.after(new ShareChange(4, Set.of(), Set.of(PARTITION + 1)), 50, 8).firstCleanTable())
			.isEqualTo(8);
	}

	@Test
	void memtablesOfBeforeNeedALook() {
		Floors floors = Floors.NONE.after(new ShareChange(3, IT, Set.of()), 40, 7).withFirstCleanSegment(12);
		assertThat(floors.isCleanSegment(11)).isFalse();
		assertThat(floors.isCleanSegment(12)).isTrue();
		assertThat(floors.hides(HASH, 40)).isTrue();
	}

}
