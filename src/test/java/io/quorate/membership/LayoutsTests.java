package io.quorate.membership;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class LayoutsTests {

	private static final List<String> THREE = List.of("n0@127.0.0.1:7100", "n1@127.0.0.1:7101", "n2@127.0.0.1:7102");

	@Test
	void everyMemberHoldsEverythingUnlessTheFactorIsLess() {
		assertThat(Layouts.of("n1", THREE, null).ring().replicationFactor()).isEqualTo(3);
		assertThat(Layouts.of("n1", THREE, 2).ring().replicationFactor()).isEqualTo(2);
	}

	@Test
	void knowsItselfAndItsPeers() {
		Layouts layouts = Layouts.of("n1", THREE, null);
		assertThat(layouts.own()).isEqualTo(new Endpoint(Member.of("n1"), "127.0.0.1", 7101));
		assertThat(layouts.peers()).extracting(Endpoint::id).containsExactly("n0", "n2");
		assertThat(layouts.isAlone()).isFalse();
		assertThat(layouts.current().isMajority(Set.of("n0", "n1")::contains)).isTrue();
		assertThat(layouts.current().isMajority(Set.of("n1")::contains)).isFalse();
	}

	@Test
	void withoutMembersItIsAlone() {
		Layouts layouts = Layouts.of("n7", List.of(), null);
		assertThat(layouts.isAlone()).isTrue();
		assertThat(layouts.own()).isNull();
		assertThat(layouts.peers()).isEmpty();
		assertThat(layouts.ring().members()).containsExactly(Member.of("n7"));
	}

	@Test
	void zonesAreBehindASlash() {
		Layouts layouts = Layouts.of("a", List.of("a@one.example:7100/east", "b@[::1]:7100/west"), null);
		assertThat(layouts.ring().members()).containsExactly(new Member("a", "east"), new Member("b", "west"));
		assertThat(layouts.peers()).containsExactly(new Endpoint(new Member("b", "west"), "::1", 7100));
		assertThat(layouts.peers()).first().hasToString("b@[::1]:7100/west");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "n0", "n0@127.0.0.1", "127.0.0.1:7100", "n0@:7100", "@host:7100", "n0@host:port",
			"n0@host:7100/", "n0@host:7100/a/b", "n0@ho st:0", "n0@host:65536", "n0@host:0", "n 0@host:7100",
			"n0@host:7100/z z", "n0@::1:7100", "n0@host:7100,n1@host:7101" })
	void anInvalidMemberIsRefused(String member) {
		assertThatExceptionOfType(LayoutException.class).isThrownBy(() -> Layouts.of("n0", List.of(member), null))
			.withMessageContaining("member");
	}

	@Test
	void aListWithoutThisNodeIsRefused() {
		assertRefused("n3", THREE, null, "'n3' (quorate.node.id), is not among the members");
	}

	@Test
	void twoMembersWithOneIdOrOneAddressAreRefused() {
		assertRefused("n0", List.of("n0@127.0.0.1:7100", "n0@127.0.0.1:7101"), null, "two members have the id 'n0'");
		assertRefused("n0", List.of("n0@127.0.0.1:7100", "n1@127.0.0.1:7100"), null, "have one address");
	}

	@Test
	void aFactorThatCannotBeIsRefused() {
		assertRefused("n0", THREE, 4, "the replication factor must be 1 to the number of members, 3, not 4");
		assertRefused("n0", List.of(), 2, "the replication factor must be 1 to the number of members, 1, not 2");
	}

	@Test
	void derivedValuesAreThoseOfTheLayoutAdoptedLast() {
		Layouts layouts = Layouts.of("n1", THREE, null);
		Supplier<Integer> members = layouts.derive((layout) -> layout.members().size());
		Layout kept = layouts.current();
		assertThat(members.get()).isEqualTo(3);
		layouts.adopt(later(2, "n0", "n1", "n2", "n3"));
		assertThat(members.get()).isEqualTo(4);
		assertThat(layouts.current().isMajority(Set.of("n0", "n1")::contains)).isFalse();
		assertThat(kept.members()).as("a layout that a task has taken").containsExactly("n0", "n1", "n2");
		assertThat(kept.isMajority(Set.of("n0", "n1")::contains)).isTrue();
	}

	@Test
	void aNodeAdoptsNoEarlierLayout() {
		Layouts layouts = Layouts.of("n1", THREE, null);
		Layout third = later(3, "n0", "n1");
		layouts.adopt(third);
		layouts.adopt(later(2, "n1", "n2"));
		layouts.adopt(later(3, "n1", "n2"));
		assertThat(layouts.current()).isSameAs(third);
	}

	@Test
	void aLayoutOfWhichAPartCannotBeDerivedIsNotAdopted() {
		Layouts layouts = Layouts.of("n1", THREE, null);
		Supplier<List<String>> members = layouts.derive(Layout::members);
		layouts.derive((layout) -> {
			if (layout.version() > 1) {
				throw new IllegalStateException("no replica of n3");
			}
			return layout;
		});
		assertThatIllegalStateException().isThrownBy(() -> layouts.adopt(later(2, "n1", "n3")));
		assertThat(members.get()).containsExactly("n0", "n1", "n2");
		assertThat(layouts.current().version()).isEqualTo(Layout.FIRST);
	}

	@Test
	void theFenceRisesWhenKeysAreAssignedAnew() {
		Layouts layouts = Layouts.of("n1", THREE, 2);
		assertThat(layouts.fence()).isEqualTo(Layout.FIRST);
		layouts.adopt(later(2, "n0", "n1", "n2"));
		assertThat(layouts.fence()).isEqualTo(Layout.FIRST);
		layouts.adopt(later(3, "n0", "n1"));
		assertThat(layouts.fence()).isEqualTo(3);
		layouts.adopt(later(4, "n0", "n1"));
		assertThat(layouts.fence()).isEqualTo(3);
		layouts.adopt(later(6, "n0", "n1"));
		assertThat(layouts.fence()).as("what version 5 was is not known").isEqualTo(6);
	}

	@Test
	void aFollowerHearsOfPeersBeforeAndAfterAnAdoption() {
		Layouts layouts = Layouts.of("n1", THREE, 2);
		List<String> heard = new ArrayList<>();
		layouts.follow(new LayoutFollower() {

			@Override
			public void joins(Endpoint peer) {
				heard.add("joins " + peer.id() + " at " + layouts.current().version());
			}

			@Override
			public void reassigns(Layout later) {
				heard.add("reassigns " + later.version() + " at " + layouts.current().version());
			}

			@Override
			public void adopted(Layout now) {
				heard.add("adopted " + layouts.current().version());
			}

			@Override
			public void left(String peer) {
				heard.add("left " + peer + " at " + layouts.current().version());
			}

		});
		assertThat(heard).containsExactly("joins n0 at 1", "joins n2 at 1");
		heard.clear();
		LayoutRecord activated = LayoutFixture.stable(3, 2);
		layouts.adopt(layouts.of(2, activated));
		assertThat(heard).containsExactly("adopted 2");
		heard.clear();
		LayoutRecord joint = LayoutMachine.add(activated, LayoutFixture.member(3), LayoutFixture.ASKED);
		layouts.adopt(layouts.of(3, joint));
		assertThat(heard).containsExactly("joins n3 at 2", "reassigns 3 at 2", "adopted 3");
		heard.clear();
		layouts.adopt(layouts.of(4, LayoutMachine.abort(joint)));
		assertThat(heard).containsExactly("reassigns 4 at 3", "adopted 4", "left n3 at 4");
	}

	@Test
	void aCandidateIsNoMemberUntilALayoutNamesIt() {
		Layouts layouts = Layouts.of("n3", THREE, null, "n3@localhost:4");
		assertThat(layouts.isMember()).isFalse();
		assertThat(layouts.own()).hasToString("n3@localhost:4");
		assertThat(layouts.peers()).extracting(Endpoint::id).containsExactly("n0", "n1", "n2");
		LayoutRecord joint = LayoutMachine.add(LayoutFixture.stable(3, 3), LayoutFixture.member(3),
				LayoutFixture.ASKED);
		layouts.adopt(layouts.of(3, joint));
		assertThat(layouts.isMember()).isTrue();
		assertThat(layouts.current().isMajority(Set.of("n0", "n1")::contains)).as("of three, not of four").isFalse();
		assertThat(layouts.current().isMajority(Set.of("n0", "n1", "n3")::contains)).isTrue();
		assertThat(layouts.peers()).extracting(Endpoint::id).containsExactly("n0", "n1", "n2");
		assertThatExceptionOfType(LayoutException.class)
			.isThrownBy(() -> Layouts.of("n3", THREE, null, "n4@localhost:4"))
			.withMessageContaining("quorate.cluster.join is n4@localhost:4, and this node is 'n3'");
	}

	private static Layout later(long version, String... members) {
		return new Layout(version, List.of(), Ring.of(Stream.of(members).map(Member::of).toList(), 2));
	}

	private static void assertRefused(String self, List<String> members, @Nullable Integer factor, String why) {
		assertThatExceptionOfType(LayoutException.class).isThrownBy(() -> Layouts.of(self, members, factor))
			.withMessageContaining(why);
	}

	/* One that the configuration names would begin as a member of the first layout. */
	@Test
	void onlyANodeThatTheConfigurationDoesNotNameBeginsAnew() {
		List<String> members = List.of("n0@a:1", "n1@b:2", "n2@c:3");
		ClusterProperties byItself = properties(true);
		assertThat(Layouts.of("n3", members, 3, "n3@d:4").mayBeginAnew(byItself)).isTrue();
		assertThat(Layouts.of("n3", members, 3, "n3@d:4").mayBeginAnew(properties(false))).isFalse();
		assertThat(Layouts.of("n1", members, 3, "n1@b:2").mayBeginAnew(byItself)).isFalse();
	}

	private static ClusterProperties properties(boolean joinByItself) {
		return new ClusterProperties("quorate", List.of(), null, null, joinByItself, List.of());
	}

}
