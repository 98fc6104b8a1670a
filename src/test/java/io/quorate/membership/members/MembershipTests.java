package io.quorate.membership.members;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.Layout;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
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
	void aPeerIsReachedOnceUntilItIsDisconnected() {
		List<String> told = new ArrayList<>();
		this.membership.onReached((peer) -> told.add(peer + " " + this.membership.isReached(peer)));
		assertThat(this.membership.isReached("n1")).isFalse();
		this.membership.stateChanged("n1", MemberState.UP);
		assertThat(this.membership.isReached("n1")).as("the connection for large values is not up").isFalse();
		this.membership.reached("n1");
		this.membership.reached("n1");
		this.membership.reached("n9");
		assertThat(told).as("n9 is no member").containsExactly("n1 true");
		this.membership.stateChanged("n1", MemberState.DISCONNECTED);
		assertThat(this.membership.isReached("n1")).isFalse();
		this.membership.stateChanged("n1", MemberState.UP);
		this.membership.reached("n1");
		assertThat(told).hasSize(2);
		this.membership.joins(Endpoint.parse("n1@elsewhere:7100"));
		assertThat(this.membership.isReached("n1")).as("at another address").isFalse();
		this.membership.reached("n1");
		this.membership.left("n1");
		assertThat(this.membership.isReached("n1")).isFalse();
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

	/*
	 * As after a recovery of two members, both of whose configurations name three more.
	 */
	@Test
	void aMajorityIsThatOfTheLayoutThatIsAdopted() {
		Layouts layouts = layouts(5);
		Membership adopting = new Membership(layouts);
		List<String> told = new ArrayList<>();
		adopting.onMajority(() -> told.add("majority"));
		layouts.adopt(new Layout(7, layouts.configured().endpoints(), Ring.of(members("n0", "n1", "n2"), 2)));
		assertThat(adopting.hasMetMajority()).isFalse();
		layouts.adopt(new Layout(8, layouts.configured().endpoints(), Ring.of(members("n1"), 1)), true);
		assertThat(adopting.hasMetMajority()).as("it is no member").isFalse();
		layouts.adopt(new Layout(9, layouts.configured().endpoints(), Ring.of(members("n0"), 1)));
		assertThat(adopting.hasMetMajority()).isTrue();
		assertThat(told).hasSize(1);
	}

	private static List<Member> members(String... ids) {
		return Stream.of(ids).map(Member::of).toList();
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
