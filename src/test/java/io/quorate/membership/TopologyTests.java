package io.quorate.membership;

import java.util.List;

import io.quorate.ring.Member;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class TopologyTests {

	private static final List<String> THREE = List.of("n0@127.0.0.1:7100", "n1@127.0.0.1:7101", "n2@127.0.0.1:7102");

	@Test
	void everyMemberHoldsEverythingUnlessTheFactorIsLess() {
		assertThat(Topology.of("n1", THREE, null).ring().replicationFactor()).isEqualTo(3);
		assertThat(Topology.of("n1", THREE, 2).ring().replicationFactor()).isEqualTo(2);
	}

	@Test
	void knowsItselfAndItsPeers() {
		Topology topology = Topology.of("n1", THREE, null);
		assertThat(topology.own()).isEqualTo(new Endpoint(Member.of("n1"), "127.0.0.1", 7101));
		assertThat(topology.peers()).extracting(Endpoint::id).containsExactly("n0", "n2");
		assertThat(topology.isAlone()).isFalse();
		assertThat(topology.majority()).isEqualTo(2);
	}

	@Test
	void withoutMembersItIsAlone() {
		Topology topology = Topology.of("n7", List.of(), null);
		assertThat(topology.isAlone()).isTrue();
		assertThat(topology.own()).isNull();
		assertThat(topology.peers()).isEmpty();
		assertThat(topology.ring().members()).containsExactly(Member.of("n7"));
	}

	@Test
	void zonesAreBehindASlash() {
		Topology topology = Topology.of("a", List.of("a@one.example:7100/east", "b@[::1]:7100/west"), null);
		assertThat(topology.ring().members()).containsExactly(new Member("a", "east"), new Member("b", "west"));
		assertThat(topology.peers()).containsExactly(new Endpoint(new Member("b", "west"), "::1", 7100));
		assertThat(topology.peers()).first().hasToString("b@[::1]:7100/west");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "n0", "n0@127.0.0.1", "127.0.0.1:7100", "n0@:7100", "@host:7100", "n0@host:port",
			"n0@host:7100/", "n0@host:7100/a/b", "n0@ho st:0", "n0@host:65536", "n0@host:0", "n 0@host:7100",
			"n0@host:7100/z z", "n0@::1:7100", "n0@host:7100,n1@host:7101" })
	void anInvalidMemberIsRefused(String member) {
		assertThatExceptionOfType(TopologyException.class).isThrownBy(() -> Topology.of("n0", List.of(member), null))
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

	private static void assertRefused(String self, List<String> members, @Nullable Integer factor, String why) {
		assertThatExceptionOfType(TopologyException.class).isThrownBy(() -> Topology.of(self, members, factor))
			.withMessageContaining(why);
	}

}
