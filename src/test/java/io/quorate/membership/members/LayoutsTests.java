package io.quorate.membership.members;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutException;
import io.quorate.membership.layout.LayoutFixture;
import io.quorate.membership.layout.LayoutFollower;
import io.quorate.membership.layout.LayoutMachine;
import io.quorate.membership.layout.LayoutMember;
import io.quorate.membership.layout.LayoutRecord;
import io.quorate.membership.layout.LayoutSide;
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
		Layouts layouts = Layouts.of("n3", THREE, null, "n3@localhost:4", List.of());
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
			.isThrownBy(() -> Layouts.of("n3", THREE, null, "n4@localhost:4", List.of()))
			.withMessageContaining("quorate.cluster.join is n4@localhost:4, and this node is 'n3'");
	}

	private static List<String> contacts(Layouts layouts) {
		return layouts.contacts().stream().map(Endpoint::toString).toList();
	}

	/*
	 * As of a candidate that waits while all members that it has been shown are replaced.
	 */
	@Test
	void aCandidateTrustsItsSeedsAsLongAsItIsNoMember() {
		Layouts layouts = Layouts.of("n9", THREE, 3, "n9@z:9",
				List.of("n4@e:5", "n9@z:9", "n5@f:6/east", THREE.getFirst()));
		List<String> heard = new ArrayList<>();
		layouts.follow(new LayoutFollower() {

			@Override
			public void joins(Endpoint peer) {
				heard.add("joins " + peer);
			}

			@Override
			public void left(String peer) {
				heard.add("left " + peer);
			}

		});
		assertThat(contacts(layouts)).containsExactly(THREE.get(0), THREE.get(1), THREE.get(2), "n4@e:5",
				"n5@f:6/east");
		assertThat(heard).containsExactlyInAnyOrderElementsOf(
				contacts(layouts).stream().map((contact) -> "joins " + contact).toList());
		assertThat(layouts.peers()).as("none is a member").extracting(Endpoint::id).doesNotContain("n4", "n5");
		heard.clear();
		layouts.adopt(layouts.of(7, stable(4, 6, 7)));
		assertThat(contacts(layouts)).as("addresses of members come from the layout")
			.containsExactly("n4@host4:7100", "n6@host6:7100", "n7@host7:7100", THREE.getFirst(), "n5@f:6/east");
		assertThat(heard).containsExactly("left n4", "joins n4@host4:7100", "joins n6@host6:7100",
				"joins n7@host7:7100", "left n1", "left n2");
		assertThat(List.of("n0", "n5")).allMatch(layouts::isSeed);
		assertThat(List.of("n1", "n4", "n9")).noneMatch(layouts::isSeed);
		heard.clear();
		layouts.adopt(layouts.of(9, stable(6, 7, 8)));
		assertThat(contacts(layouts)).containsExactly("n6@host6:7100", "n7@host7:7100", "n8@host8:7100",
				THREE.getFirst(), "n4@e:5", "n5@f:6/east");
		layouts.adopt(layouts.of(11, stable(6, 7, 8, 9)));
		assertThat(layouts.contacts()).as("a member needs no seeds").isEqualTo(layouts.peers());
		assertThat(heard).endsWith("left n0", "left n4", "left n5");
		assertThat(heard).as("its address has not changed").doesNotContain("joins n6@host6:7100");
		heard.clear();
		layouts.adopt(layouts.of(13, stable(6, 7, 8)));
		assertThat(layouts.hasLeft()).isTrue();
		assertThat(heard).as("no seed is a peer again").isEmpty();
		assertThat(layouts.contacts()).as("one that has left trusts none").isEqualTo(layouts.peers());
		assertThat(layouts.isSeed("n4")).isFalse();
	}

	/* As a member in the place of another one, which the configuration does not know. */
	@Test
	void aSeedThatIsAMemberAtItsAddressStaysTheSamePeer() {
		Layouts layouts = Layouts.of("n9", THREE, 3, "n9@z:9", List.of("n4@host4:7100"));
		List<String> heard = new ArrayList<>();
		layouts.follow(new LayoutFollower() {

			@Override
			public void joins(Endpoint peer) {
				heard.add(peer.id());
			}

		});
		LayoutMember placed = LayoutFixture.member(4).placedAs(LayoutFixture.member(2));
		layouts.adopt(layouts.of(7,
				LayoutRecord.of(new LayoutSide(List.of(LayoutFixture.member(0), LayoutFixture.member(1), placed), 3))));
		assertThat(heard).containsExactlyInAnyOrder("n0", "n1", "n2", "n4");
	}

	private static LayoutRecord stable(Integer... members) {
		return LayoutRecord.of(new LayoutSide(Stream.of(members).map(LayoutFixture::member).toList(), 3));
	}

	@Test
	void aMemberOfTheConfigurationHasNoSeeds() {
		Layouts layouts = Layouts.of("n1", THREE, 3, null, List.of("n4@e:5"));
		assertThat(layouts.contacts()).isEqualTo(layouts.peers());
		assertThat(layouts.isSeed("n4")).isFalse();
	}

	@Test
	void aSeedWithTwoAddressesIsRefused() {
		for (List<String> seeds : List.of(List.of("n4@e:5", "n4@e:6"), List.of("n0@elsewhere:7100"))) {
			assertThatExceptionOfType(LayoutException.class)
				.isThrownBy(() -> Layouts.of("n9", THREE, 3, "n9@z:9", seeds))
				.withMessageContaining("(quorate.cluster.seeds) has two addresses");
		}
		assertThatExceptionOfType(LayoutException.class)
			.isThrownBy(() -> Layouts.of("n9", THREE, 3, "n9@z:9", List.of("n4@e:5", "n5@e:5")))
			.withMessageContaining("have one address");
	}

	@Test
	void aSeedOfTheConfigurationNeedsNoZoneAndStaysAContact() {
		List<String> zones = List.of("n0@a:1/east", "n1@b:2/west", "n2@c:3/south");
		Layouts layouts = Layouts.of("n9", zones, 3, "n9@z:9/east", List.of("n0@a:1"));
		assertThat(contacts(layouts)).containsExactlyElementsOf(zones);
		layouts.adopt(layouts.of(7, stable(6, 7, 8)));
		assertThat(contacts(layouts)).as("it may be a member again")
			.contains("n0@a:1/east")
			.doesNotContain("n1@b:2/west");
	}

	@Test
	void aNodeThatIsToJoinNeedsTheMembersOfTheFirstStart() {
		assertThatExceptionOfType(LayoutException.class)
			.isThrownBy(() -> Layouts.of("n9", List.of(), null, "n9@z:9", List.of()))
			.withMessageContaining("quorate.cluster.members is missing");
		assertThatExceptionOfType(LayoutException.class)
			.isThrownBy(() -> Layouts.of("n9", List.of(), null, null, List.of("n4@e:5")))
			.withMessageContaining("quorate.cluster.members is missing");
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
		assertThat(Layouts.of("n3", members, 3, "n3@d:4", List.of()).mayBeginAnew(byItself)).isTrue();
		assertThat(Layouts.of("n3", members, 3, "n3@d:4", List.of()).mayBeginAnew(properties(false))).isFalse();
		assertThat(Layouts.of("n1", members, 3, "n1@b:2", List.of()).mayBeginAnew(byItself)).isFalse();
	}

	private static ClusterProperties properties(boolean joinByItself) {
		return new ClusterProperties("quorate", List.of(), null, null, List.of(), joinByItself, List.of());
	}

}
