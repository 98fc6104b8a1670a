package io.quorate.membership;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class MembershipTests {

	private final Membership membership = new Membership(layouts(5));

	private static Layouts layouts(int members) {
		return Layouts.of("n0",
				IntStream.range(0, members)
					.mapToObj((number) -> "n%d@127.0.0.1:%d".formatted(number, 7100 + number))
					.toList(),
				null);
	}

	@Test
	void peersAreDisconnectedUntilTheyAreHeardOf() {
		assertThat(this.membership.states()).containsEntry("n0", MemberState.UP)
			.containsEntry("n1", MemberState.DISCONNECTED)
			.hasSize(5);
		this.membership.stateChanged("n1", MemberState.UP);
		assertThat(this.membership.stateOf("n1")).isEqualTo(MemberState.UP);
		assertThat(this.membership.stateOf("somebody")).isEqualTo(MemberState.DISCONNECTED);
	}

	@Test
	void thePassingOfAPeerIsToldOnceAfterTheStateSaysSo() {
		List<String> told = new ArrayList<>();
		this.membership.onSuspect((peer) -> told.add(peer + " is " + this.membership.stateOf(peer)));
		this.membership.stateChanged("n1", MemberState.UP);
		this.membership.stateChanged("n1", MemberState.SUSPECT);
		this.membership.stateChanged("n1", MemberState.DISCONNECTED);
		this.membership.stateChanged("n1", MemberState.UP);
		this.membership.stateChanged("n1", MemberState.DISCONNECTED);
		assertThat(told).containsExactly("n1 is SUSPECT", "n1 is DISCONNECTED");
	}

	@Test
	void aMajorityCountsThisNodeAndEachPeerOnceAndStays() {
		List<String> told = new ArrayList<>();
		this.membership.onMajority(() -> told.add("majority"));
		this.membership.met("n1");
		this.membership.met("n1");
		assertThat(this.membership.hasMetMajority()).isFalse();
		this.membership.met("n2");
		this.membership.met("n3");
		this.membership.stateChanged("n1", MemberState.DISCONNECTED);
		assertThat(this.membership.hasMetMajority()).isTrue();
		assertThat(told).hasSize(1);
	}

	@Test
	void aNodeThatLeavesSaysSoToEveryoneAndDoesNotShunItself() {
		List<String> told = new ArrayList<>();
		this.membership.onLeave(() -> told.add("before"));
		this.membership.leave();
		this.membership.onLeave(() -> told.add("after"));
		assertThat(told).containsExactly("before", "after");
		assertThat(this.membership.states()).containsEntry("n0", MemberState.DRAINING);
		assertThat(this.membership.stateOf("n0")).isEqualTo(MemberState.UP);
	}

	@Test
	void aNodeAloneIsItsMajority() {
		Membership alone = new Membership(Layouts.of("n0", List.of(), null));
		List<String> told = new ArrayList<>();
		alone.onMajority(() -> told.add("majority"));
		assertThat(alone.hasMetMajority()).isTrue();
		assertThat(told).hasSize(1);
	}

	@Test
	void twoOfTwoAreAMajority() {
		Membership pair = new Membership(layouts(2));
		assertThat(pair.hasMetMajority()).isFalse();
		pair.met("n1");
		assertThat(pair.hasMetMajority()).isTrue();
	}

}
