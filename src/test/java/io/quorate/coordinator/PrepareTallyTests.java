package io.quorate.coordinator;

import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.quorate.clock.Timestamp;
import io.quorate.coordinator.PrepareTally.Decision;
import io.quorate.entry.Entry;
import io.quorate.entry.Summary;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.PrepareReply;
import io.quorate.replica.Replica;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

class PrepareTallyTests {

	private static final Summary OLD = summary(1);

	private static final Summary NEW = summary(2);

	private static final PrepareReply FAILED = new PrepareReply.Failed(new Failure(Reason.FAILED, "as the test wants"));

	private final ReplicaPlan plan = ReplicaSet.of(Stream.of("a", "b", "c").<Replica>map(ScriptedReplica::new).toList())
		.plan(Consistency.DEFAULT);

	private static Summary summary(long millis) {
		return new Summary(Timestamp.ofMillis(millis), false, Entry.ALL, Entry.NEVER, 3);
	}

	private static PrepareReply promised(@Nullable Summary held) {
		return new PrepareReply.Promised(held);
	}

	private static PrepareReply unmet(@Nullable Summary held) {
		return new PrepareReply.Unmet(held, null);
	}

	private static PrepareReply superseded() {
		return new PrepareReply.Superseded(Timestamp.ofMillis(9));
	}

	private Decision decision(Predicate<String> suspect, @Nullable PrepareReply... replies) {
		PrepareTally tally = new PrepareTally(this.plan);
		for (int i = 0; i < replies.length; i++) {
			PrepareReply reply = replies[i];
			if (reply != null) {
				tally.add(i, reply);
			}
		}
		return tally.decision(suspect);
	}

	@Test
	void aMajorityOfPromisesGivesTheNewestEntryAndItsHolders() {
		assertThat(decision((_) -> false, promised(OLD), promised(NEW)))
			.isEqualTo(new Decision.Promised(NEW, List.of(this.plan.all().get(1))));
		assertThat(decision((_) -> false, promised(NEW), null, promised(NEW)))
			.isEqualTo(new Decision.Promised(NEW, List.of(this.plan.all().get(0), this.plan.all().get(2))));
		assertThat(decision((_) -> false, promised(null), promised(null)))
			.isEqualTo(new Decision.Promised(null, List.of()));
	}

	@Test
	void aReplicaThatHasNotPromisedSaysNothingAboutTheBase() {
		assertThat(decision((_) -> false, promised(OLD), unmet(NEW), promised(OLD)))
			.isEqualTo(new Decision.Promised(OLD, List.of(this.plan.all().get(0), this.plan.all().get(2))));
	}

	@Test
	void aMajorityThatHoldsTheSameDecidesThatAConditionFails() {
		assertThat(decision((_) -> false, unmet(OLD), unmet(OLD))).isEqualTo(new Decision.Unmet(OLD));
		assertThat(decision((_) -> false, unmet(null), null, unmet(null))).isEqualTo(new Decision.Unmet(null));
		assertThat(decision((_) -> false, promised(NEW), unmet(OLD), unmet(OLD))).isEqualTo(new Decision.Unmet(OLD));
	}

	@Test
	void replicasThatDifferDecideNothing() {
		assertThat(decision((_) -> false, unmet(OLD), unmet(NEW))).isEqualTo(Decision.Pending.INSTANCE);
		assertThat(decision((_) -> false, unmet(OLD), unmet(NEW), unmet(null))).isEqualTo(Decision.Differing.INSTANCE);
		assertThat(decision((_) -> false, unmet(OLD), promised(NEW), FAILED)).isEqualTo(Decision.Differing.INSTANCE);
	}

	@Test
	void aPromiseAboveTheEntryMakesAConditionUndecided() {
		PrepareReply fenced = new PrepareReply.Unmet(OLD, Timestamp.ofMillis(2));
		PrepareReply own = new PrepareReply.Unmet(OLD, OLD.timestamp());
		PrepareReply nothing = new PrepareReply.Unmet(null, Timestamp.ofMillis(2));
		assertThat(decision((_) -> false, fenced, unmet(OLD), fenced)).isEqualTo(Decision.Differing.INSTANCE);
		assertThat(decision((_) -> false, nothing, nothing, nothing)).isEqualTo(Decision.Differing.INSTANCE);
		assertThat(decision((_) -> false, own, unmet(OLD))).isEqualTo(new Decision.Unmet(OLD));
	}

	@Test
	void roundsOfOthersAreToldFromReplicasThatFail() {
		assertThat(decision((_) -> false, superseded(), superseded())).isEqualTo(new Decision.Outbid(0));
		assertThat(decision((_) -> false, superseded(), new PrepareReply.Busy(70), promised(OLD)))
			.isEqualTo(new Decision.Outbid(70));
		assertThat(decision((_) -> false, FAILED, FAILED)).isEqualTo(Decision.Lost.INSTANCE);
		assertThat(decision((_) -> false, FAILED, superseded(), promised(OLD))).isEqualTo(new Decision.Outbid(0));
	}

	@Test
	void aSilentReplicaIsAwaitedUnlessItIsSuspect() {
		assertThat(decision((_) -> false, superseded(), promised(OLD))).isEqualTo(Decision.Pending.INSTANCE);
		assertThat(decision("c"::equals, superseded(), promised(OLD))).isEqualTo(new Decision.Outbid(0));
		assertThat(decision("c"::equals, unmet(OLD), promised(NEW))).isEqualTo(Decision.Differing.INSTANCE);
		assertThat(decision((_) -> true, promised(NEW), FAILED)).isEqualTo(Decision.Pending.INSTANCE);
	}

	/* Three replicas before the change of the layout and five after it, each to ack. */
	static ReplicaPlan joint() {
		List<Replica> replicas = Stream.of("a", "b", "c", "d", "e").<Replica>map(ScriptedReplica::new).toList();
		return new ReplicaPlan(replicas, 5, List.of(new QuorumSide(3, 3, 0, 1, 2), new QuorumSide(5, 5, 0, 1, 2, 3, 4)),
				3);
	}

	@Test
	void theSideThatLacksTheMostOfItsMajorityIsReported() {
		PrepareTally tally = new PrepareTally(joint());
		tally.add(0, promised(OLD));
		tally.add(1, superseded());
		tally.add(4, FAILED);
		assertThat(tally.notReached(true)).hasMessage("3 of the 5 replicas after the change of the layout had to"
				+ " answer, 2 did: [a promised, b superseded, c silent, d silent, e failed]");
	}

	static Stream<List<PrepareReply>> orders() {
		List<PrepareReply> all = List.of(promised(OLD), promised(NEW), promised(null), unmet(OLD), unmet(NEW),
				unmet(null), superseded(), new PrepareReply.Busy(5), FAILED);
		return all.stream().flatMap((a) -> all.stream().flatMap((b) -> all.stream().map((c) -> List.of(a, b, c))));
	}

	/** What two replies have decided no third one changes, and three always decide. */
	@ParameterizedTest
	@MethodSource("orders")
	void aConclusionStandsWhateverTheLastReplicaSays(List<PrepareReply> replies) {
		PrepareTally tally = new PrepareTally(this.plan);
		tally.add(0, replies.get(0));
		tally.add(1, replies.get(1));
		Decision early = tally.decision((_) -> false);
		tally.add(2, replies.get(2));
		Decision last = tally.decision((_) -> false);
		assertThat(last).isNotEqualTo(Decision.Pending.INSTANCE);
		if (early instanceof Decision.Unmet || early instanceof Decision.Promised) {
			assertThat(last.getClass()).isEqualTo(early.getClass());
		}
		long promises = replies.stream().filter(PrepareReply.Promised.class::isInstance).count();
		assertThat(last instanceof Decision.Promised).isEqualTo(promises >= 2);
		assertThat(tally.promisers()).hasSize((int) promises);
	}

}
