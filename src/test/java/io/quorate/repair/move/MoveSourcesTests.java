package io.quorate.repair.move;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

import io.quorate.membership.layout.Layout;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.ring.RingPair;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class MoveSourcesTests {

	private static Ring ring(int members, int factor) {
		return Ring.of(IntStream.range(0, members).mapToObj((i) -> Member.of("n" + i)).toList(), factor);
	}

	private static Layout joint(Ring before, Ring after, String... dead) {
		return new Layout(3, List.of(), new RingPair(before, after), Set.of(dead));
	}

	@Test
	void aNodeHasNoSourcesInAStableLayout() {
		assertThat(MoveSources.of(new Layout(3, List.of(), ring(4, 3)), "n1")).isEmpty();
	}

	@Test
	void aNodeThatJoinsCopiesFromAllReplicasOfBefore() {
		Layout grows = joint(ring(3, 3), ring(4, 3));
		assertThat(MoveSources.of(grows, "n3")).containsExactly("n0", "n1", "n2");
		assertThat(MoveSources.of(grows, "n1")).as("it gains nothing").isEmpty();
	}

	@Test
	void aNodeThatStaysCopiesAlsoFromTheOneThatLeaves() {
		Layout shrinks = joint(ring(4, 3), ring(3, 3));
		assertThat(MoveSources.of(shrinks, "n0")).containsExactly("n1", "n2", "n3");
		assertThat(MoveSources.of(shrinks, "n3")).as("it leaves").isEmpty();
	}

	@Test
	void aMemberThatIsDeclaredDeadIsNoSource() {
		assertThat(MoveSources.of(joint(ring(4, 3), ring(3, 3), "n3"), "n0")).containsExactly("n1", "n2");
	}

	@Test
	void aReplicaThatStaysCopiesFromThoseThatLoseTheKey() {
		Layout fewer = joint(ring(3, 3), ring(3, 2));
		Set<String> expected = new TreeSet<>();
		for (int partition = 0; partition < Ring.PARTITIONS; partition++) {
			for (String other : List.of("n0", "n2")) {
				if (fewer.rings().loses(other, partition)) {
					expected.add(other);
				}
			}
		}
		assertThat(MoveSources.of(fewer, "n1")).isEqualTo(expected).isNotEmpty();
	}

	@Test
	void aReplicaThatIsMorePreferredCopiesEntriesOfFewerCopies() {
		List<Member> six = List.of(new Member("a1", "z1"), new Member("a2", "z1"), new Member("b1", "z2"),
				new Member("b2", "z2"), new Member("c1", "z3"), new Member("c2", "z3"));
		Layout shrinks = joint(Ring.of(six, 3), Ring.of(six.subList(1, 6), 3));
		assertThat(IntStream.range(0, Ring.PARTITIONS)).as("it gains nothing")
			.noneMatch((partition) -> shrinks.rings().gains("b1", partition));
		assertThat(MoveSources.of(shrinks, "b1")).contains("a1");
	}

}
