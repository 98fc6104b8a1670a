package io.quorate.membership.agreement;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.quorate.consensus.Voter;
import io.quorate.consensus.file.LedgerFile;
import io.quorate.membership.agreement.RecoveredLayout.Survivor;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutException;
import io.quorate.membership.layout.LayoutFixture;
import io.quorate.membership.layout.LayoutMachine;
import io.quorate.membership.layout.LayoutMember;
import io.quorate.membership.layout.LayoutRecord;
import io.quorate.membership.layout.LayoutSide;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.quorate.membership.layout.LayoutFixture.ASKED;
import static io.quorate.membership.layout.LayoutFixture.member;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The layout of the members that are left when a majority is lost for good. */
class RecoveredLayoutTests {

	@TempDir
	private Path home;

	private Survivor survivor(int number, long version, LayoutRecord record) throws IOException {
		return survivor(number, 1, version, record);
	}

	private Survivor survivor(int number, int life, long version, LayoutRecord record) throws IOException {
		Path directory = Files.createDirectories(this.home.resolve("n" + number));
		return new Survivor("n" + number, new UUID(life, number),
				RecordedLayouts.write(directory, "n" + number, version, record));
	}

	private RecoveredLayout recovered(LayoutRecord record, int... left) throws IOException {
		List<Survivor> survivors = new ArrayList<>();
		for (int number : left) {
			survivors.add(survivor(number, 7, record));
		}
		return RecoveredLayout.of(survivors);
	}

	private static List<String> ids(RecoveredLayout layout) {
		return layout.layout().latest().stable().ids();
	}

	@Test
	void oneOfThreeMembersGoesOnAlone() throws IOException {
		RecoveredLayout alone = recovered(LayoutFixture.stable(3, 3), 2);
		assertThat(alone.layout().latest()).isEqualTo(LayoutRecord.of(new LayoutSide(List.of(member(2)), 1)));
		assertThat(alone.layout().version().version()).isEqualTo(1_000_000_008);
		assertThat(alone.layout().version().recoveries()).isOne();
		assertThat(alone.givenUp()).containsExactly("n0", "n1");
		assertThat(alone.emptied()).isZero();
		assertThat(alone.isFound()).isFalse();
		assertThat(alone.replicationFactorBefore()).isEqualTo(3);
	}

	@Test
	void membersLeftComputeTheSameFromTheLatestThatOneKnows() throws IOException {
		LayoutRecord before = LayoutFixture.stable(5, 4);
		LayoutRecord joint = LayoutMachine.remove(before, "n4", false, ASKED);
		Survivor ahead = survivor(0, 8, joint);
		Survivor behind = survivor(3, 7, before);
		RecoveredLayout one = RecoveredLayout.of(List.of(ahead, behind));
		RecoveredLayout other = RecoveredLayout.of(List.of(behind, ahead));
		assertThat(one.layout().version()).isEqualTo(other.layout().version());
		assertThat(one.layout().version().version()).isEqualTo(1_000_000_009);
		assertThat(one.found().version().version()).isEqualTo(8);
		assertThat(ids(other)).containsExactly("n0", "n3");
		assertThat(one.replicationFactor()).isEqualTo(2);
	}

	@Test
	void theLayoutAndThoseOfBeforeContradictEachOther() throws IOException {
		LayoutVersion recovered = recovered(LayoutFixture.stable(3, 3), 0).layout().version();
		for (long version : new long[] { 2, 7, 8, 900 }) {
			LayoutVersion before = new LayoutVersion(version, 1);
			assertThat(recovered.contradicts(before)).isTrue();
			assertThat(before.contradicts(recovered)).isTrue();
			assertThat(recovered.isOfAnotherRecovery(before)).isTrue();
		}
		assertThat(recovered.contradicts(new LayoutVersion(Layout.FIRST, 1))).as("all begin with it").isFalse();
		assertThat(new LayoutVersion(2, 1).contradicts(new LayoutVersion(3, 2))).isFalse();
		assertThat(recovered.contradicts(new LayoutVersion(recovered.version() + 5, 1))).isFalse();
		assertThat(LayoutVersion.recovered(recovered.version() + 5)).isEqualTo(2_000_000_014);
	}

	@Test
	void membersThatCanDecideByThemselvesAreNotRecovered() {
		assertThatExceptionOfType(LayoutException.class).isThrownBy(() -> recovered(LayoutFixture.stable(3, 3), 0, 2))
			.withMessageContaining("2 of the 3 members that decide")
			.withMessageContaining("cluster remove MEMBER --dead");
		assertThatExceptionOfType(LayoutException.class).isThrownBy(() -> recovered(LayoutFixture.stable(2, 2), 0, 1))
			.withMessageContaining("2 of the 2 members");
	}

	/* Both have their data again, and no version can be decided any more. */
	@Test
	void membersWithNewDirectoriesAreNamedAnew() throws IOException {
		LayoutRecord record = LayoutFixture.stable(3, 3);
		RecoveredLayout anew = RecoveredLayout
			.of(List.of(survivor(0, 7, record), survivor(1, 2, 7, record), survivor(2, 2, 7, record)));
		assertThat(anew.givenUp()).isEmpty();
		assertThat(anew.isFound()).isFalse();
		assertThat(anew.replicationFactor()).isEqualTo(3);
		assertThat(anew.layout().latest().members()).extracting(LayoutMember::storageId)
			.containsExactly(new UUID(1, 0), new UUID(2, 1), new UUID(2, 2));
	}

	@Test
	void aNodeThatIsNoMemberIsRefused() {
		assertThatExceptionOfType(LayoutException.class).isThrownBy(() -> recovered(LayoutFixture.stable(3, 3), 0, 5))
			.withMessageContaining("there is no member [n5]");
	}

	@Test
	void twoContentsOfOneVersionAreRefused() throws IOException {
		Survivor one = survivor(0, 7, LayoutFixture.stable(4, 3));
		Survivor other = survivor(1, 7, LayoutFixture.stable(5, 3));
		assertThatExceptionOfType(LayoutException.class).isThrownBy(() -> RecoveredLayout.of(List.of(one, other)))
			.withMessageContaining("another content of version 7");
	}

	@Test
	void aMemberTakesTheLayoutThatAnotherHasAlready() throws IOException {
		LayoutRecord before = LayoutFixture.stable(4, 4);
		RecoveredLayout first = recovered(before, 0, 1);
		Survivor done = survivor(0, first.layout().version().version(), first.layout().latest());
		Survivor late = survivor(1, 7, before);
		RecoveredLayout again = RecoveredLayout.of(List.of(late, done));
		assertThat(again.isFound()).isTrue();
		assertThat(again.layout().version()).isEqualTo(first.layout().version());
		assertThatExceptionOfType(LayoutException.class)
			.isThrownBy(() -> RecoveredLayout.of(List.of(done, late, survivor(2, 7, before))))
			.withMessageContaining("there is no member [n2]");
	}

	@Test
	void aClusterIsRecoveredASecondTime() throws IOException {
		RecoveredLayout twice = RecoveredLayout.of(List.of(survivor(1, 1_000_000_020, LayoutFixture.stable(3, 3))));
		assertThat(twice.layout().version().version()).isEqualTo(2_000_000_021);
	}

	/*
	 * The joiner may have copied nothing yet: n0 has all keys, and is in each majority.
	 */
	@Test
	void aJoiningNodeStaysOrIsGivenUp() throws IOException {
		LayoutRecord joint = LayoutMachine.add(LayoutFixture.stable(3, 3), member(3), ASKED);
		RecoveredLayout with = recovered(joint, 0, 3);
		assertThat(ids(with)).containsExactly("n0", "n3");
		assertThat(with.layout().latest().isJoint()).isFalse();
		assertThat(with.replicationFactor()).isEqualTo(2);
		assertThat(recovered(joint, 0).givenUp()).containsExactly("n1", "n2", "n3");
		RecoveredLayout without = recovered(joint, 3);
		assertThat(without.emptied()).as("no key has a replica that is left").isEqualTo(Ring.PARTITIONS);
	}

	@Test
	void aNodeThatWasToTakeAPlaceCannotBesidesItsMember() throws IOException {
		LayoutRecord joint = LayoutMachine.replace(LayoutFixture.stable(4, 3), "n1", member(4), false, ASKED);
		assertThat(ids(recovered(joint, 0, 4))).containsExactly("n0", "n4");
		assertThatExceptionOfType(LayoutException.class).isThrownBy(() -> recovered(joint, 1, 4))
			.withMessageContaining("one place on the ring");
	}

	@Test
	void aMemberThatWasLeavingStays() throws IOException {
		LayoutRecord joint = LayoutMachine.remove(LayoutFixture.stable(4, 3), "n3", false, ASKED);
		RecoveredLayout recovered = recovered(joint, 0, 3);
		assertThat(ids(recovered)).containsExactly("n0", "n3");
		assertThat(recovered.layout().latest().isJoint()).isFalse();
	}

	@Test
	void membersThatHoldTooFewKeysTogetherAreRefused() {
		assertThatExceptionOfType(LayoutException.class)
			.isThrownBy(() -> recovered(LayoutFixture.stable(6, 6), 0, 1, 2))
			.withMessageContaining("of 6 members with 6 copies of each key");
		assertThatExceptionOfType(LayoutException.class)
			.isThrownBy(() -> recovered(LayoutFixture.stable(10, 5), 0, 1, 2, 3, 4))
			.withMessageContaining("hold too few keys together")
			.withMessageContaining("Restore the cluster as a whole");
	}

	@Test
	void aMemberWithTheLayoutHasGivenNoVote() throws IOException {
		RecoveredLayout alone = recovered(LayoutFixture.stable(3, 3), 2);
		alone.layout().write(this.home, "n2", new UUID(5, 5));
		LedgerFile ledger = LedgerFile.open(this.home.resolve("LAYOUT"), new Voter("n2", new UUID(5, 5)));
		assertThat(ledger.isOfAnEarlierLife()).isFalse();
		assertThat(ledger.recovered().accepted()).isNull();
		assertThat(LayoutVersion.of(ledger.recovered().decisions().latest())).isEqualTo(alone.layout().version());
	}

	/*
	 * Any majority of the replicas of before may have acknowledged a write: if a member
	 * left has it, so has a replica, and no majority of replicas is without all keys.
	 */
	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3 })
	void everyMajorityFindsWhatAMemberLeftHas(long seed) throws IOException {
		Random random = new Random(seed);
		for (int round = 0; round < 5; round++) {
			int members = 2 + random.nextInt(7);
			int factor = 1 + random.nextInt(Math.min(5, members));
			LayoutRecord record = LayoutFixture.stable(members, factor);
			List<Integer> all = new ArrayList<>(IntStream.range(0, members).boxed().toList());
			Collections.shuffle(all, random);
			int[] left = all.subList(0, 1 + random.nextInt((members + 1) / 2))
				.stream()
				.mapToInt(Integer::intValue)
				.toArray();
			if (left.length > members / 2 && members > 1) {
				continue;
			}
			try {
				requireFound(record, recovered(record, left));
			}
			catch (LayoutException refused) {
				assertThat(refused.getMessage()).contains("too few keys");
				assertThat(left.length).as("with fewer there is a replication factor").isGreaterThan(2);
			}
		}
	}

	private static void requireFound(LayoutRecord before, RecoveredLayout recovered) {
		Ring held = before.stable().ring();
		Ring ring = recovered.layout().latest().stable().ring();
		Set<String> left = Set.copyOf(ids(recovered));
		for (int partition = 0; partition < Ring.PARTITIONS; partition += 37) {
			List<String> replicas = names(ring.replicas(partition));
			for (Set<String> wrote : majorities(names(held.replicas(partition)))) {
				if (wrote.stream().anyMatch(left::contains)) {
					assertThat(replicas).as("partition %d", partition).containsAnyElementsOf(wrote);
				}
			}
			Set<String> holders = new TreeSet<>(names(held.replicas(partition)));
			holders.retainAll(left);
			if (!holders.isEmpty()) {
				assertThat(majorities(replicas)).allMatch((read) -> read.stream().anyMatch(holders::contains));
			}
		}
	}

	private static List<String> names(List<Member> members) {
		return members.stream().map(Member::id).toList();
	}

	private static List<Set<String>> majorities(List<String> members) {
		return IntStream.range(0, 1 << members.size())
			.filter((bits) -> Integer.bitCount(bits) == members.size() / 2 + 1)
			.mapToObj((bits) -> IntStream.range(0, members.size())
				.filter((index) -> (bits >> index & 1) == 1)
				.mapToObj(members::get)
				.collect(Collectors.toUnmodifiableSet()))
			.toList();
	}

	@Test
	void theReplicationFactorIsTheGreatestThatIsSafe() throws IOException {
		Map<int[], Integer> factors = Map.of(new int[] { 4, 3, 2 }, 2, new int[] { 6, 3, 3 }, 2, new int[] { 5, 5, 2 },
				2, new int[] { 4, 1, 2 }, 1);
		for (Map.Entry<int[], Integer> its : factors.entrySet()) {
			int[] shape = its.getKey();
			RecoveredLayout recovered = recovered(LayoutFixture.stable(shape[0], shape[1]),
					IntStream.range(0, shape[2]).toArray());
			assertThat(recovered.replicationFactor()).as("%d members, factor %d, %d left", shape[0], shape[1], shape[2])
				.isEqualTo(its.getValue());
		}
	}

}
