package io.quorate.repair.purge;

import java.util.UUID;

import io.quorate.internode.Recollection;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class AmnesiaTests {

	private static final UUID OURS = new UUID(1, 1);

	private static final UUID BEFORE = new UUID(1, 0);

	private final Amnesia node = new Amnesia(OURS, 100, 50, Settled.NOTHING);

	private static Recollection of(UUID id, long sequence) {
		return new Recollection(id, sequence, 0, false, 0);
	}

	@Test
	void aNodeThatNobodyHasSeenHasLostNothing() {
		assertThat(this.node.symptom("n2", Recollection.NONE)).isNull();
	}

	@Test
	void aNodeThatHoldsAllThatWasSeenHasLostNothing() {
		assertThat(this.node.symptom("n2", of(OURS, 100))).isNull();
	}

	@Test
	void anotherDirectoryIsALoss() {
		assertThat(this.node.symptom("n2", of(BEFORE, 3))).contains("other data", BEFORE.toString());
	}

	@Test
	void anOlderDirectoryIsALoss() {
		assertThat(this.node.symptom("n2", of(OURS, 101))).contains("101", "100");
	}

	@Test
	void whatWasMadeGoodIsNoLossAnyMore() {
		Amnesia rebuilt = new Amnesia(OURS, 100, 50, Settled.NOTHING.with(BEFORE, 3).with(OURS, 120));
		assertThat(rebuilt.symptom("n2", of(BEFORE, 3))).isNull();
		assertThat(rebuilt.symptom("n2", of(OURS, 120))).isNull();
		assertThat(rebuilt.symptom("n3", of(BEFORE, 4))).as("another peer had seen more").isNotNull();
		assertThat(rebuilt.symptom("n3", of(OURS, 121))).isNotNull();
	}

	/* declaredMerge: the others have purged without it. */
	@Test
	void aNodeThatWasDeclaredLostIsRebuilt() {
		assertThat(this.node.symptom("n2", new Recollection(OURS, 100, 50, true, 0))).contains("declared it lost");
	}

	@Test
	void aNodeWithoutWhichWasPurgedIsRebuilt() {
		assertThat(this.node.symptom("n2", new Recollection(OURS, 100, 0, false, 51))).contains("purged up to 33");
	}

	@Test
	void timeAloneIsNoReason() {
		assertThat(this.node.symptom("n2", new Recollection(OURS, 100, 0, false, 50))).isNull();
		assertThat(this.node.symptom("n2", new Recollection(OURS, 100, 51, false, 51)))
			.as("the peer knows of a later comparison")
			.isNull();
		Amnesia rebuilt = new Amnesia(OURS, 100, 0, Settled.NOTHING.upTo(60));
		assertThat(rebuilt.symptom("n2", new Recollection(OURS, 100, 0, false, 60))).as("copied with its horizon")
			.isNull();
	}

}
