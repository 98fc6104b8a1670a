package io.quorate.membership.layout;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quorate.consensus.Electorate;
import io.quorate.consensus.Voter;
import io.quorate.membership.layout.ChangeRefusedException.Reason;
import io.quorate.membership.layout.LayoutChange.Kind;
import io.quorate.membership.layout.LayoutMachine.Asked;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.ring.RingPair;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.quorate.membership.layout.LayoutFixture.ASKED;
import static io.quorate.membership.layout.LayoutFixture.all;
import static io.quorate.membership.layout.LayoutFixture.member;
import static io.quorate.membership.layout.LayoutFixture.stable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LayoutMachineTests {

	private static void assertRefused(Reason reason, String why, Supplier<LayoutRecord> change) {
		assertThatExceptionOfType(ChangeRefusedException.class).isThrownBy(change::get)
			.withMessageContaining(why)
			.satisfies((refused) -> assertThat(refused.reason()).isEqualTo(reason));
	}

	@Test
	void aMemberJoinsByAJointLayoutThatItsOldMembersVoteOn() {
		LayoutRecord joint = LayoutMachine.add(stable(3, 3), member(3), ASKED);
		assertThat(joint.stable()).isEqualTo(stable(3, 3).stable());
		assertThat(joint.target()).isEqualTo(stable(4, 3).stable());
		assertThat(joint.change()).isEqualTo(new LayoutChange(Kind.ADD, "n3", 8, "an operator", 1000));
		assertThat(joint.electorate()).isEqualTo(Electorate.majorityOf(Stream.of(0, 1, 2)
			.map((number) -> new Voter("n" + number, new UUID(1, number)))
			.collect(Collectors.toSet())));
		assertThat(LayoutMachine.complete(joint)).isEqualTo(stable(4, 3));
		assertThat(LayoutMachine.abort(joint)).isEqualTo(stable(3, 3));
	}

	@Test
	void aMemberLeavesAndADeadOneIsNotWaitedFor() {
		LayoutRecord joint = LayoutMachine.remove(stable(4, 3), "n3", false, ASKED);
		assertThat(LayoutMachine.complete(joint)).isEqualTo(stable(3, 3));
		assertThat(joint.awaited()).containsExactly("n0", "n1", "n2", "n3");
		LayoutRecord dead = LayoutMachine.remove(stable(4, 3), "n3", true, ASKED);
		assertThat(dead.dead()).containsExactly("n3");
		assertThat(dead.awaited()).containsExactly("n0", "n1", "n2");
		assertThat(LayoutMachine.abort(dead)).isEqualTo(stable(4, 3));
	}

	@Test
	void aReplacementTakesThePlaceOnTheRing() {
		LayoutRecord joint = LayoutMachine.replace(stable(3, 2), "n1", member(7), true, ASKED);
		LayoutRecord after = LayoutMachine.complete(joint);
		assertThat(after.stable().ids()).containsExactly("n0", "n2", "n7");
		assertThat(after.stable().member("n7"))
			.isEqualTo(new LayoutMember(new Member("n7", "", "n1"), "host7", 7100, new UUID(1, 7)));
		RingPair pair = new RingPair(joint.stable().ring(), after.stable().ring());
		assertThat(pair.gained("n0") + pair.gained("n2")).isZero();
		LayoutRecord again = LayoutMachine.complete(LayoutMachine.replace(after, "n7", member(8), false, ASKED));
		assertThat(again.stable().member("n8")).extracting((member) -> member.member().ringId()).isEqualTo("n1");
		assertRefused(Reason.IMPOSSIBLE, "have one place on the ring",
				() -> LayoutMachine.add(again, member(1), ASKED));
	}

	@Test
	void theReplicationFactorChangesByOne() {
		assertThat(LayoutMachine.complete(LayoutMachine.replication(stable(5, 3), 4, ASKED))).isEqualTo(stable(5, 4));
		assertThat(LayoutMachine.complete(LayoutMachine.replication(stable(5, 3), 2, ASKED))).isEqualTo(stable(5, 2));
		assertRefused(Reason.IMPOSSIBLE, "changes by one at a time, not to 5",
				() -> LayoutMachine.replication(stable(5, 3), 5, ASKED));
		assertRefused(Reason.IMPOSSIBLE, "1 to the number of members, 3, not 4",
				() -> LayoutMachine.replication(stable(3, 3), 4, ASKED));
	}

	@Test
	void aChangeThatCannotBeIsRefused() {
		LayoutRecord three = stable(3, 3);
		assertRefused(Reason.IMPOSSIBLE, "n2 is a member", () -> LayoutMachine.add(three, member(2), ASKED));
		assertRefused(Reason.IMPOSSIBLE, "the members n2 and n5 have one directory", () -> LayoutMachine.add(three,
				new LayoutMember(Member.of("n5"), "host5", 7100, new UUID(1, 2)), ASKED));
		assertRefused(Reason.IMPOSSIBLE, "have one address, host1:7100", () -> LayoutMachine.add(three,
				new LayoutMember(Member.of("n5"), "host1", 7100, new UUID(1, 5)), ASKED));
		assertRefused(Reason.IMPOSSIBLE, "give all or none one",
				() -> LayoutMachine.add(three, member(5, "west", 1), ASKED));
		assertRefused(Reason.IMPOSSIBLE, "the storage id of n5 is not known", () -> LayoutMachine.add(three,
				new LayoutMember(Member.of("n5"), "host5", 7100, LayoutMember.UNKNOWN), ASKED));
		assertRefused(Reason.IMPOSSIBLE, "1 to the number of members, 2, not 3",
				() -> LayoutMachine.remove(three, "n1", true, ASKED));
		assertRefused(Reason.IMPOSSIBLE, "n9 is no member", () -> LayoutMachine.remove(three, "n9", false, ASKED));
		assertRefused(Reason.IMPOSSIBLE, "n5/west and n1 are not of one zone",
				() -> LayoutMachine.replace(three, "n1", member(5, "west", 1), false, ASKED));
	}

	@Test
	void oneChangeIsUnderWayAtATime() {
		LayoutRecord joint = LayoutMachine.add(stable(3, 3), member(3), ASKED);
		assertRefused(Reason.BUSY, "a change is under way", () -> LayoutMachine.add(joint, member(4), ASKED));
		assertRefused(Reason.BUSY, "a change is under way", () -> LayoutMachine.remove(joint, "n1", false, ASKED));
		assertRefused(Reason.NOT_UNDER_WAY, "no change", () -> LayoutMachine.abort(stable(3, 3)));
		assertRefused(Reason.NOT_UNDER_WAY, "no change", () -> LayoutMachine.complete(stable(3, 3)));
	}

	@Test
	void aMemberWithANewDirectoryIsAmendedOnBothSides() {
		LayoutRecord joint = LayoutMachine.add(stable(3, 3), member(3), ASKED);
		LayoutRecord amended = LayoutMachine.amend(joint, member(1, "", 2));
		assertThat(amended.stable().member("n1")).isEqualTo(member(1, "", 2));
		assertThat(LayoutMachine.complete(amended).stable().member("n1")).isEqualTo(member(1, "", 2));
		assertThat(LayoutMachine.amend(joint, member(3, "", 2)).stable()).as("a joiner votes on nothing yet")
			.isEqualTo(joint.stable());
		assertRefused(Reason.IMPOSSIBLE, "nothing to amend of n1", () -> LayoutMachine.amend(joint, member(1)));
		assertRefused(Reason.IMPOSSIBLE, "nothing to amend of n9", () -> LayoutMachine.amend(joint, member(9)));
		assertRefused(Reason.IMPOSSIBLE, "nothing to amend of n1/west",
				() -> LayoutMachine.amend(joint, member(1, "west", 2)));
	}

	@Test
	void theLayoutOfAConfigurationIsActivatedByAllOfItsMembers() {
		Ring ring = stable(3, 2).stable().ring();
		LayoutRecord first = LayoutRecord.first(ring);
		assertRefused(Reason.IMPOSSIBLE, "not activated", () -> LayoutMachine.add(first, member(3), ASKED));
		assertThat(first.electorate()).isEqualTo(Electorate.allOf(Set.of("n0", "n1", "n2")));
		assertThat(LayoutMachine.activate(first, all(3))).isEqualTo(stable(3, 2));
		assertRefused(Reason.IMPOSSIBLE, "are not all of [n0, n1, n2]",
				() -> LayoutMachine.activate(first, all(3).subList(0, 2)));
		assertRefused(Reason.IMPOSSIBLE, "are not all of", () -> LayoutMachine.activate(stable(3, 2), all(3)));
		assertThat(LayoutMachine.mayFollow(first, 1, stable(3, 2))).isTrue();
		assertThat(LayoutMachine.mayFollow(first, 1, stable(3, 3))).isFalse();
		assertThat(LayoutMachine.mayFollow(first, 1, LayoutMachine.add(stable(3, 2), member(3), new Asked(1, "", 0))))
			.isFalse();
	}

	private static LayoutFacts facts(Map<String, Long> adopted, Map<String, Long> complete) {
		Map<String, LayoutVersion> reports = new HashMap<>();
		adopted.forEach((member, version) -> reports.put(member, new LayoutVersion(version, 0)));
		return LayoutFixture.met(reports, complete, Map.of(), Map.of());
	}

	private static LayoutFacts present(LayoutMember... ready) {
		return LayoutFixture.met(Map.of(), Map.of(),
				Stream.of(ready).collect(Collectors.toMap(LayoutMember::id, Function.identity())),
				Map.of("n2", "n2 is disconnected"));
	}

	@Test
	void theConfigurationIsActivatedWhenAllItsMembersCanVote() {
		LayoutRecord first = LayoutRecord.first(Ring.of(Stream.of("n0", "n1", "n2").map(Member::of).toList(), 2));
		assertThat(LayoutMachine.blockedBy(first, present(member(0)))).containsExactly("n1 is not known",
				"n2 is disconnected");
		assertThat(LayoutMachine.next(first, present(member(0), member(1)))).isEmpty();
		assertThat(LayoutMachine.next(first, present(member(2), member(0), member(1)))).contains(stable(3, 2));
		assertThat(LayoutMachine.next(stable(3, 2), present(member(2), member(0), member(1)))).isEmpty();
	}

	@Test
	void withoutAMajorityOfTheNamedDirectoriesNothingIsProposed() {
		LayoutFacts facts = present(member(0, "", 2), member(1, "", 2));
		assertThat(LayoutMachine.next(stable(3, 2), facts)).isEmpty();
		assertThat(LayoutMachine.blockedBy(stable(3, 2), facts)).containsExactly(
				"2 of the 3 directories that the layout names are lost: no majority of them is left to decide");
		assertThat(LayoutMachine.blockedBy(stable(3, 2), present(member(0, "", 2)))).isEmpty();
		LayoutFacts away = new LayoutFacts(Map.of(), Map.of(), Map.of("n0", member(0)), Map.of(),
				Map.of("n1", member(1, "", 2).storageId(), "n2", member(2, "", 2).storageId()), Map.of());
		assertThat(LayoutMachine.blockedBy(stable(3, 2), away)).as("whose processes are away")
			.isEqualTo(LayoutMachine.blockedBy(stable(3, 2), facts));
	}

	@Test
	void aMemberWithAnotherDirectoryIsNamedAnew() {
		LayoutRecord amended = LayoutMachine.amend(stable(3, 2), member(1, "", 2));
		LayoutMember elsewhere = new LayoutMember(Member.of("n1"), "elsewhere", 9, member(1, "", 2).storageId());
		assertThat(LayoutMachine.next(stable(3, 2), present(elsewhere))).as("its address stays").contains(amended);
		assertThat(LayoutMachine.next(amended, present(elsewhere))).isEmpty();
		LayoutRecord joint = LayoutMachine.add(stable(3, 2), member(3), ASKED);
		assertThat(LayoutMachine.next(joint, present(elsewhere)))
			.contains(LayoutMachine.amend(joint, member(1, "", 2)));
	}

	@Test
	void aDirectoryThatIsAliveIsNotReplaced() {
		Map<String, LayoutMember> ready = Map.of("n1", member(1, "", 2));
		LayoutFacts alive = LayoutFixture.facts(Map.of(), ready, Map.of(), Map.of("n1", member(1).storageId()));
		assertThat(LayoutMachine.next(stable(3, 2), alive)).isEmpty();
		LayoutFacts gone = LayoutFixture.facts(Map.of(), ready, Map.of(), Map.of("n1", member(1, "", 2).storageId()));
		assertThat(LayoutMachine.next(stable(3, 2), gone)).isPresent();
	}

	@Test
	void aChangeEndsWhenAllHaveAdoptedItAndTheTargetIsComplete() {
		LayoutRecord joint = LayoutMachine.replace(stable(3, 3), "n1", member(7), false, ASKED);
		Map<String, Long> adopted = new HashMap<>(Map.of("n0", 8L, "n1", 7L, "n2", 9L, "n7", 8L));
		Map<String, Long> complete = new HashMap<>(Map.of("n0", 8L, "n2", 8L, "n7", 7L));
		assertThat(LayoutMachine.blockedBy(joint, facts(adopted, complete)))
			.containsExactly("n1 has not adopted version 8", "n7 has not copied all that it gains");
		adopted.put("n1", 8L);
		assertThat(LayoutMachine.next(joint, facts(adopted, complete))).isEmpty();
		complete.put("n7", 8L);
		assertThat(LayoutMachine.next(joint, facts(adopted, complete))).contains(LayoutMachine.complete(joint));
		assertThat(LayoutMachine.next(stable(3, 3), facts(adopted, complete))).isEmpty();
	}

	/* The report came from the directory that the member has lost since. */
	@Test
	void aChangeDoesNotEndByTheReportOfALostDirectory() {
		LayoutRecord joint = LayoutMachine.add(stable(2, 2), member(7), ASKED);
		LayoutRecord anew = LayoutMachine.amend(joint, member(7, "", 2));
		Map<String, Long> all = Map.of("n0", 8L, "n1", 8L, "n7", 8L);
		LayoutFacts known = facts(all, all);
		LayoutFacts facts = new LayoutFacts(known.adopted(), known.complete(), known.ready(), known.obstacles(),
				Map.of("n7", member(7).storageId()), Map.of());
		assertThat(LayoutMachine.next(joint, facts)).contains(LayoutMachine.complete(joint));
		assertThat(LayoutMachine.next(anew, facts)).isEmpty();
		assertThat(LayoutMachine.blockedBy(anew, facts)).containsExactly("n7 has not copied all that it gains");
	}

	/* What a member gains it has to copy, also when the member was declared dead. */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aDeadMemberIsTheOnlyOneThatIsNotWaitedFor(boolean isDead) {
		LayoutRecord joint = LayoutMachine.remove(stable(4, 3), "n1", isDead, ASKED);
		Map<String, Long> three = Map.of("n0", 8L, "n2", 8L, "n3", 8L);
		assertThat(LayoutMachine.next(joint, facts(three, three)).isPresent()).isEqualTo(isDead);
		assertThat(LayoutMachine.next(joint, facts(three, Map.of("n0", 8L, "n2", 8L)))).isEmpty();
		assertThat(LayoutMachine.next(joint, facts(Map.of("n0", 8L, "n2", 8L), three))).isEmpty();
	}

	@Test
	void factsOfAChangeHoldAfterAnAmendment() {
		LayoutRecord joint = LayoutMachine.add(stable(3, 3), member(3), ASKED);
		LayoutRecord amended = LayoutMachine.amend(joint, member(1, "", 2));
		Map<String, Long> of8 = Map.of("n0", 8L, "n1", 8L, "n2", 8L, "n3", 8L);
		assertThat(LayoutMachine.next(amended, facts(of8, of8))).contains(LayoutMachine.complete(amended));
	}

	/* Random walks: each step may follow, and no step of another walk's state may. */
	@Test
	void aWalkOfChangesConsistsOfLayoutsThatMayFollow() {
		long seed = new Random().nextLong();
		Random random = new Random(seed);
		List<LayoutRecord> seen = new ArrayList<>();
		for (int walk = 0; walk < 20; walk++) {
			LayoutRecord now = stable(3 + random.nextInt(3), 2 + random.nextInt(2));
			for (long version = 2; version < 30; version++) {
				LayoutRecord next = step(random, now, new Asked(version, "seed", version));
				assertThat(LayoutMachine.mayFollow(now, version, next)).as("seed %d: %s, then %s", seed, now, next)
					.isTrue();
				assertThat(LayoutCodec.read(LayoutCodec.write(next))).as("seed %d", seed).isEqualTo(next);
				assertThat(LayoutMachine.mayFollow(now, version, now)).as("seed %d: %s again", seed, now).isFalse();
				assertThat(LayoutMachine.mayFollow(now, version + 1, next) && next.isJoint() && !now.isJoint())
					.as("seed %d: a change of another version", seed)
					.isFalse();
				seen.add(next);
				now = next;
			}
		}
		assertThat(seen).anyMatch((layout) -> layout.change() != null && layout.change().kind() == Kind.REPLACE)
			.anyMatch((layout) -> layout.change() != null && layout.change().kind() == Kind.REMOVE)
			.anyMatch((layout) -> layout.change() != null && layout.change().kind() == Kind.REPLICATION);
	}

	private static LayoutRecord step(Random random, LayoutRecord now, Asked asked) {
		while (true) {
			try {
				return anyStep(random, now, asked);
			}
			catch (ChangeRefusedException refused) {
				assertThat(refused.getMessage()).isNotEmpty();
			}
		}
	}

	private static LayoutRecord anyStep(Random random, LayoutRecord now, Asked asked) {
		int number = random.nextInt(12);
		return switch (random.nextInt(7)) {
			case 0 -> LayoutMachine.add(now, member(number), asked);
			case 1 -> LayoutMachine.remove(now, "n" + number, random.nextBoolean(), asked);
			case 2 -> LayoutMachine.replace(now, "n" + number, member(random.nextInt(12)), random.nextBoolean(), asked);
			case 3 -> LayoutMachine.replication(now, 2 + random.nextInt(3), asked);
			case 4 -> LayoutMachine.complete(now);
			case 5 -> LayoutMachine.abort(now);
			default -> {
				LayoutMember any = now.members().get(random.nextInt(now.members().size()));
				yield LayoutMachine.amend(now, new LayoutMember(any.member(), any.host(), any.port(),
						new UUID(random.nextInt(2, 9), number + 100)));
			}
		};
	}

	@Test
	void aLayoutOfAnotherFormDoesNotFollow() {
		LayoutRecord now = stable(3, 3);
		LayoutRecord joint = LayoutMachine.add(now, member(3), ASKED);
		assertThat(LayoutMachine.mayFollow(now, 7, stable(4, 3))).as("without a joint layout").isFalse();
		assertThat(LayoutMachine.mayFollow(joint, 8, stable(5, 3))).as("another target").isFalse();
		assertThat(LayoutMachine.mayFollow(joint, 8, LayoutMachine.add(now, member(4), new Asked(8, "", 0)))).isFalse();
		LayoutChange change = new LayoutChange(Kind.ADD, "n3", 8, "", 0);
		assertThat(LayoutMachine.mayFollow(now, 7,
				new LayoutRecord(now.stable(), stable(5, 3).stable(), Set.of(), change)))
			.as("two members at once")
			.isFalse();
		assertThat(LayoutMachine.mayFollow(now, 7,
				new LayoutRecord(now.stable(), stable(4, 3).stable(), Set.of("n1"), change)))
			.as("a dead member that does not leave")
			.isFalse();
	}

}
