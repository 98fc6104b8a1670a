package io.quorate.membership.exchange;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import io.quorate.clock.SkewJudge;
import io.quorate.clock.Timestamp;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.Membership;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.storage.FormatLevel;
import io.quorate.storage.RecordedIdentity;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class StoreGateTests {

	private static final long NOW = 1_000_000;

	private static final Duration MAX_SKEW = Duration.ofSeconds(60);

	private final Membership membership = new Membership(new Layouts("n0",
			new Layout(Layout.FIRST, List.of(), Ring.of(Stream.of("n0", "n1", "n2").map(Member::of).toList(), 3))));

	private final InitialContacts meetings = new InitialContacts(List.of("n1"));

	private final RecordedIdentity identity = new RecordedIdentity(new UUID(1, 1), FormatLevel.NEWEST);

	private final StoreGate gate = new StoreGate(this.identity, this.membership, this.meetings,
			new SkewJudge(() -> NOW, System::nanoTime, MAX_SKEW));

	@Test
	void itIsClosedUntilThePeersWereTriedAndAMajorityIsMet() {
		assertThat(reason()).isEqualTo(Reason.JOINING);
		this.meetings.settled("n1");
		assertThat(reason()).isEqualTo(Reason.JOINING);
		this.membership.met("n1");
		assertThat(reason()).isNull();
		this.membership.rebuildingChanged(true);
		assertThat(reason()).isEqualTo(Reason.REBUILDING);
	}

	@Test
	void itCountsTheRebuildsOfThisNodeWhenTheyEnd() {
		this.membership.rebuildingChanged("n1", true);
		this.membership.rebuildingChanged("n1", false);
		this.membership.rebuildingChanged(false);
		assertThat(this.gate.endedRebuilds()).isZero();
		for (int count = 1; count <= 2; count++) {
			this.membership.rebuildingChanged(true);
			this.membership.rebuildingChanged(true);
			assertThat(this.gate.endedRebuilds()).isEqualTo(count - 1);
			this.membership.rebuildingChanged(false);
			assertThat(this.gate.endedRebuilds()).isEqualTo(count);
		}
	}

	@Test
	void anOlderDirectoryIsReadWithoutAMajority() {
		this.identity.settle();
		this.meetings.settled("n1");
		assertThat(reason()).isNull();
		assertThat(this.gate.mayHaveLostLaterThan(Timestamp.ofMillis(NOW))).isFalse();
	}

	@Test
	void aClosedOneMayHaveLostWhatCanHaveBeenTakenBefore() {
		assertThat(this.gate.mayHaveLostLaterThan(Timestamp.ofMillis(NOW))).isTrue();
		assertThat(this.gate.mayHaveLostLaterThan(Timestamp.ofMillis(NOW + 2 * MAX_SKEW.toMillis() + 1))).isFalse();
		this.meetings.settled("n1");
		this.membership.met("n1");
		this.membership.rebuildingChanged(true);
		assertThat(this.gate.mayHaveLostLaterThan(Timestamp.ofMillis(NOW))).isTrue();
		assertThat(this.gate.mayHaveLostLaterThan(Timestamp.ofMillis(NOW + 2 * MAX_SKEW.toMillis() + 1))).isFalse();
		this.membership.rebuildingChanged(false);
		assertThat(this.gate.mayHaveLostLaterThan(Timestamp.ofMillis(NOW))).isFalse();
	}

	/* What is taken between the beginning of a rebuild and then is set aside, too. */
	@Test
	void theBoundMovesWithThePresentUntilTheStoreIsSetAside() {
		this.meetings.settled("n1");
		this.membership.met("n1");
		this.membership.rebuildingChanged(true);
		Timestamp atBound = Timestamp.ofMillis(NOW + 2 * MAX_SKEW.toMillis());
		Awaitility.await().until(() -> this.gate.mayHaveLostLaterThan(atBound));
		this.membership.storeEmptied();
		Awaitility.await().until(() -> !this.gate.mayHaveLostLaterThan(atBound));
		this.membership.rebuildingChanged(false);
		this.membership.rebuildingChanged(true);
		assertThat(this.gate.mayHaveLostLaterThan(atBound)).as("of another rebuild").isTrue();
	}

	private @Nullable Reason reason() {
		Failure closed = this.gate.closed();
		return (closed != null) ? closed.reason() : null;
	}

}
