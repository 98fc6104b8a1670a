package io.quorate.membership;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the answers of n1, one of three members, to members that would like to stop.
 */
class StopLeasesTests {

	private static final Layouts LAYOUTS = Layouts.of("n1",
			List.of("n0@127.0.0.1:7100", "n1@127.0.0.1:7101", "n2@127.0.0.1:7102"), null);

	private final AtomicLong nanos = new AtomicLong();

	private final Membership membership = new Membership(LAYOUTS);

	private final StopLeases stopLeases = new StopLeases(LAYOUTS, this.membership, this.nanos::get);

	@BeforeEach
	void allAreUp() {
		this.membership.stateChanged("n0", MemberState.UP);
		this.membership.stateChanged("n2", MemberState.UP);
	}

	private void pass(Duration time) {
		this.nanos.addAndGet(time.toNanos());
	}

	@Test
	void oneMayStopWhenAllAreWell() {
		assertThat(this.stopLeases.objections()).isEmpty();
		assertThat(this.stopLeases.ask("n0")).isNull();
		assertThat(this.stopLeases.ask("n0")).as("asked again").isNull();
	}

	@Test
	void noOtherMemberMayStopWhileTheLeaseLasts() {
		assertThat(this.stopLeases.ask("n2")).isNull();
		assertThat(this.stopLeases.objections()).containsOnlyKeys("n0", "n1");
		assertThat(this.stopLeases.ask("n0")).isEqualTo("n2 is about to stop");
		pass(StopLeases.LEASE);
		assertThat(this.stopLeases.ask("n0")).isNull();
	}

	@Test
	void noMemberMayStopWhileAnotherIsAwayOrDrains() {
		for (MemberState state : List.of(MemberState.DISCONNECTED, MemberState.DRAINING, MemberState.SUSPECT)) {
			this.membership.stateChanged("n2", state);
			assertThat(this.stopLeases.ask("n0")).isEqualTo("n2 is " + state.word());
			assertThat(this.stopLeases.ask("n1")).isNotNull();
		}
		pass(StopLeases.LEASE);
		assertThat(this.stopLeases.ask("n2")).as("the one itself").isNull();
	}

	@Test
	void aPeerThatIsAboutToJoinHoldsUpNoStop() {
		this.membership.joins(Endpoint.parse("n3@127.0.0.1:7103"));
		assertThat(this.membership.states()).containsEntry("n3", MemberState.DISCONNECTED);
		assertThat(this.stopLeases.ask("n0")).isNull();
		assertThat(this.stopLeases.objections()).doesNotContainKey("n3");
		this.stopLeases.ask("n2");
		assertThat(this.stopLeases.areAllLeaving()).isTrue();
	}

	@Test
	void noOtherMemberMayStopWhileThisNodeStopsOrIsRebuilt() {
		this.membership.rebuildingChanged(true);
		assertThat(this.stopLeases.ask("n0")).isEqualTo("n1 is being rebuilt");
		this.membership.rebuildingChanged(false);
		this.membership.leave();
		assertThat(this.stopLeases.ask("n0")).isEqualTo("n1 is draining");
	}

	@Test
	void othersMayObject() {
		this.stopLeases.unless((member) -> member.equals("n2") ? null : "n2 is owed hints");
		assertThat(this.stopLeases.ask("n0")).isEqualTo("n2 is owed hints");
		pass(StopLeases.LEASE);
		assertThat(this.stopLeases.ask("n2")).isNull();
	}

	@Test
	void theFirstOfSeveralMembersStopsAndTheRestYield() {
		assertThat(this.stopLeases.ask("n2")).isNull();
		assertThat(this.stopLeases.ask("n0")).isEqualTo("n2 is about to stop");
		// It had not got the agreement of all, and asks again.
		assertThat(this.stopLeases.ask("n2")).isEqualTo("n0 would like to stop, too, and comes first");
		assertThat(this.stopLeases.ask("n0")).isNull();
		assertThat(this.stopLeases.ask("n1")).isEqualTo("n0 is about to stop");
	}

	@Test
	void aMemberThatAsksNoMoreIsNotWaitedFor() {
		this.membership.stateChanged("n2", MemberState.DISCONNECTED);
		assertThat(this.stopLeases.ask("n0")).isEqualTo("n2 is disconnected");
		this.membership.stateChanged("n2", MemberState.UP);
		assertThat(this.stopLeases.ask("n2")).isEqualTo("n0 would like to stop, too, and comes first");
		pass(StopLeases.LEASE);
		assertThat(this.stopLeases.ask("n2")).isNull();
	}

	@Test
	void whereEverybodyLeavesThereIsNothingToWaitFor() {
		assertThat(this.stopLeases.areAllLeaving()).isFalse();
		this.stopLeases.ask("n0");
		assertThat(this.stopLeases.areAllLeaving()).isFalse();
		this.stopLeases.ask("n2");
		assertThat(this.stopLeases.areAllLeaving()).isTrue();
		pass(StopLeases.LEASE);
		assertThat(this.stopLeases.areAllLeaving()).isFalse();
		this.membership.stateChanged("n0", MemberState.DISCONNECTED);
		assertThat(this.stopLeases.areAllLeaving()).isFalse();
		this.membership.stateChanged("n2", MemberState.DRAINING);
		assertThat(this.stopLeases.areAllLeaving()).as("one has asked and gone, the other goes").isTrue();
		this.membership.stateChanged("n2", MemberState.DISCONNECTED);
		assertThat(this.stopLeases.areAllLeaving()).as("both are gone").isTrue();
		this.membership.stateChanged("n2", MemberState.UP);
		assertThat(this.stopLeases.areAllLeaving()).as("one is back").isFalse();
	}

	@Test
	void anUnreachableMemberMayStillRun() {
		this.membership.stateChanged("n0", MemberState.DISCONNECTED);
		this.membership.stateChanged("n2", MemberState.DISCONNECTED);
		assertThat(this.stopLeases.ask("n1")).isEqualTo("n0 is disconnected");
		assertThat(this.stopLeases.areAllLeaving()).isFalse();
	}

	@Test
	void aMemberThatStoppedAndWasBackMayStillRun() {
		this.stopLeases.ask("n0");
		this.membership.stateChanged("n2", MemberState.DRAINING);
		for (String other : List.of("n0", "n2")) {
			this.membership.stateChanged(other, MemberState.DISCONNECTED);
			this.membership.stateChanged(other, MemberState.UP);
			this.membership.stateChanged(other, MemberState.DISCONNECTED);
		}
		pass(StopLeases.LEASE);
		assertThat(this.stopLeases.areAllLeaving()).isFalse();
	}

	@Test
	void aNodeAloneNeedsNobody() {
		Layouts alone = Layouts.of("n0", List.of(), null);
		StopLeases own = new StopLeases(alone, new Membership(alone), this.nanos::get);
		assertThat(own.ask("n0")).isNull();
		assertThat(own.areAllLeaving()).isTrue();
		assertThat(own.ask("somebody")).isEqualTo("somebody is no member");
	}

}
