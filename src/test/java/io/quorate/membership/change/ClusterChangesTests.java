package io.quorate.membership.change;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

import io.quorate.membership.agreement.LayoutProposals;
import io.quorate.membership.layout.ChangeRefusedException.Reason;
import io.quorate.membership.layout.ChangeRefusedException;
import io.quorate.membership.layout.ChangeRequest;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.MemberState;
import io.quorate.membership.members.Membership;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ClusterChangesTests {

	private static final UUID STORAGE = new UUID(1, 3);

	private static final LayoutVersion DECIDED = new LayoutVersion(2, 5);

	private final Layouts layouts = Layouts.of("n0", List.of("n0@a:1", "n1@b:2", "n2@c:3"), null);

	private final AtomicLong nanos = new AtomicLong();

	private final Membership membership = new Membership(this.layouts, this.nanos::get);

	private final List<ChangeRequest> proposed = new ArrayList<>();

	private CompletableFuture<CandidateContact.Candidate> met = met(false, null);

	/* Answers of the other members about the one that is dead; none of who is silent. */
	private final Map<String, Duration> silences = new TreeMap<>(Map.of("n1", ChangeConditions.AWAY));

	private final List<String> asked = new ArrayList<>();

	private final List<String> silent = new ArrayList<>();

	private final LayoutProposals proposals = (change, _, _) -> {
		this.proposed.add(change);
		return CompletableFuture.completedFuture(DECIDED);
	};

	private final ClusterChanges changes = new ClusterChanges(this.layouts,
			new ChangeConditions(this.layouts, this.membership, (member, witness, _) -> {
				this.asked.add(witness + " of " + member);
				return CompletableFuture.completedFuture(Optional.ofNullable(this.silences.get(witness)));
			}), this.proposals, (_) -> this.met)
		.proposedTo(this.proposals, this.silent::addAll);

	/** The conditions of a node of which no other member hears a dead one. */
	static ChangeConditions conditions(Layouts layouts, Membership membership) {
		return new ChangeConditions(layouts, membership,
				(_, _, _) -> CompletableFuture.completedFuture(Optional.of(ChangeConditions.AWAY)));
	}

	private static CompletableFuture<CandidateContact.Candidate> met(boolean hasData, @Nullable LayoutVersion adopted) {
		return CompletableFuture.completedFuture(new CandidateContact.Candidate(STORAGE, hasData, adopted));
	}

	@BeforeEach
	void allAreUp() {
		this.membership.stateChanged("n1", MemberState.UP);
		this.membership.stateChanged("n2", MemberState.UP);
	}

	private static void assertRefused(CompletableFuture<LayoutVersion> change, Reason reason, String why) {
		assertThat(change).isCompletedExceptionally();
		Throwable failure = change.handle((_, thrown) -> (thrown.getCause() != null) ? thrown.getCause() : thrown)
			.join();
		assertThat(failure).hasMessageContaining(why)
			.isInstanceOfSatisfying(ChangeRefusedException.class,
					(refused) -> assertThat(refused.reason()).isEqualTo(reason));
	}

	@Test
	void aCandidateIsProposedWithTheDirectoryThatItHas() {
		assertThat(this.changes.add("n3@d:4/east", 1)).isCompletedWithValue(DECIDED);
		assertThat(this.proposed).containsExactly(new ChangeRequest.Add(Endpoint.parse("n3@d:4/east"), STORAGE));
	}

	@Test
	void aCandidateThatIsNotReachedIsNotProposed() {
		this.met = CompletableFuture.failedFuture(new IOException("no handshake within 10 ms"));
		assertRefused(this.changes.add("n3@d:4", 1), Reason.IMPOSSIBLE, "no handshake within 10 ms");
		assertRefused(this.changes.add("n3", 1), Reason.IMPOSSIBLE, "must be id@host:port");
		assertThat(this.proposed).isEmpty();
	}

	@Test
	void anOperatorWhoHasSeenAnotherVersionIsRefused() {
		assertRefused(this.changes.remove("n1", false, 2), Reason.OVERTAKEN, "version 1, not 2");
		assertRefused(this.changes.abort(7), Reason.OVERTAKEN, "version 1, not 7");
		assertThat(this.proposed).isEmpty();
	}

	@Test
	void aChangeNeedsAllMembersUpButTheOneThatIsDead() {
		this.membership.stateChanged("n2", MemberState.DISCONNECTED);
		assertRefused(this.changes.remove("n1", false, 1), Reason.IMPOSSIBLE, "n2 is disconnected");
		assertRefused(this.changes.remove("n2", false, 1), Reason.IMPOSSIBLE, "n2 is disconnected");
		assertRefused(this.changes.remove("n1", true, 1), Reason.IMPOSSIBLE, "n1 is up");
		this.nanos.addAndGet(ChangeConditions.AWAY.toNanos());
		assertThat(this.changes.remove("n2", true, 1)).isCompletedWithValue(DECIDED);
		assertThat(this.changes.replace("n2", "n3@d:4", true, 1)).isCompletedWithValue(DECIDED);
		assertThat(this.proposed).containsExactly(new ChangeRequest.Remove("n2", true),
				new ChangeRequest.Replace("n2", Endpoint.parse("n3@d:4"), STORAGE, true));
	}

	@Test
	void aMemberIsDeclaredDeadWhenItWasAwayForAWhile() {
		this.nanos.addAndGet(2 * ChangeConditions.AWAY.toNanos());
		this.membership.stateChanged("n2", MemberState.DISCONNECTED);
		this.nanos.addAndGet(ChangeConditions.AWAY.toNanos() - 1);
		assertRefused(this.changes.remove("n2", true, 1), Reason.IMPOSSIBLE,
				"n0 has had no connection to n2 for 29 s: it may be declared dead after 30 s");
		assertRefused(this.changes.replace("n2", "n3@d:4", true, 1), Reason.IMPOSSIBLE, "n2 for 29 s");
		assertThat(this.asked).as("what this node knows is enough").isEmpty();
		this.membership.stateChanged("n2", MemberState.UP);
		this.membership.stateChanged("n2", MemberState.DISCONNECTED);
		this.nanos.incrementAndGet();
		assertRefused(this.changes.remove("n2", true, 1), Reason.IMPOSSIBLE, "no connection to n2 for 0 s");
		assertThat(this.proposed).isEmpty();
	}

	private void awayFromThisNode(String member) {
		this.membership.stateChanged(member, MemberState.DISCONNECTED);
		this.nanos.addAndGet(ChangeConditions.AWAY.toNanos());
	}

	@Test
	void aMemberThatAnotherOneHearsIsNotDead() {
		awayFromThisNode("n2");
		this.silences.put("n1", Duration.ZERO);
		assertRefused(this.changes.remove("n2", true, 1), Reason.IMPOSSIBLE,
				"n1 hears n2: a member that can be reached is not dead");
		assertRefused(this.changes.replace("n2", "n3@d:4", true, 1), Reason.IMPOSSIBLE, "n1 hears n2");
		this.silences.put("n1", ChangeConditions.AWAY.minusMillis(1));
		assertRefused(this.changes.remove("n2", true, 1), Reason.IMPOSSIBLE,
				"n1 has had no connection to n2 for 29 s: it may be declared dead after 30 s");
		assertThat(this.proposed).isEmpty();
		assertThat(this.asked).as("all but this node and the dead one").containsOnly("n1 of n2");
	}

	@Test
	void aMemberThatDoesNotAnswerWhetherItHearsTheDeadOneIsNamed() {
		awayFromThisNode("n2");
		this.silences.clear();
		assertThat(this.changes.remove("n2", true, 1)).isCompletedWithValue(DECIDED);
		assertThat(this.silent).containsExactly("n1");
	}

	@Test
	void aNodeThatIsNoMemberIsNotDeclaredDead() {
		assertRefused(this.changes.remove("n9", true, 1), Reason.IMPOSSIBLE, "n9 is no member");
	}

	@Test
	void aCandidateWhoseDirectoryWasUsedIsNotProposed() {
		this.met = met(true, null);
		assertRefused(this.changes.add("n3@d:4", 1), Reason.IMPOSSIBLE, "the directory of n3 has data");
		assertRefused(this.changes.replace("n2", "n3@d:4", false, 1), Reason.IMPOSSIBLE, "has data");
		this.met = met(false, new LayoutVersion(2, 7));
		assertRefused(this.changes.add("n3@d:4", 1), Reason.OVERTAKEN, "it is of another cluster");
		assertThat(this.proposed).isEmpty();
		this.met = met(false, new LayoutVersion(1, 7));
		assertThat(this.changes.add("n3@d:4", 1)).as("as it was met before").isCompletedWithValue(DECIDED);
	}

	@Test
	void aChangeWaitsForAMemberThatIsBeingRebuilt() {
		this.membership.rebuildingChanged("n2", true);
		assertRefused(this.changes.add("n3@d:4", 1), Reason.IMPOSSIBLE, "n2 is being rebuilt");
		assertRefused(this.changes.remove("n2", false, 1), Reason.IMPOSSIBLE, "n2 is being rebuilt");
		this.membership.rebuildingChanged("n2", false);
		this.membership.rebuildingChanged(true);
		assertRefused(this.changes.add("n3@d:4", 1), Reason.IMPOSSIBLE, "n0 is being rebuilt");
		assertThat(this.proposed).isEmpty();
		this.membership.rebuildingChanged(false);
		assertThat(this.changes.add("n3@d:4", 1)).isCompletedWithValue(DECIDED);
	}

	@Test
	void anIdOfTheConfigurationIsNotAddedAtAnotherAddress() {
		assertRefused(this.changes.add("n2@elsewhere:3", 1), Reason.IMPOSSIBLE, "the configuration has n2@c:3");
	}

	/* To meet a node with its id would have its certificate replaced. */
	@Test
	void aMemberIsNotMetAsACandidate() {
		this.met = CompletableFuture.failedFuture(new IllegalStateException("it is met"));
		assertRefused(this.changes.add("n1@b:2", 1), Reason.IMPOSSIBLE, "n1 is a member");
		assertRefused(this.changes.replace("n2", "n1@b:2", false, 1), Reason.IMPOSSIBLE, "n1 is a member");
	}

	@Test
	void aNodeWithoutAnAddressHasNoMembersJoin() {
		Layouts alone = Layouts.of("n0", List.of(), null);
		ClusterChanges its = new ClusterChanges(alone, conditions(alone, new Membership(alone)),
				(_, _, _) -> new CompletableFuture<>(), (_) -> this.met);
		assertRefused(its.add("n3@d:4", 1), Reason.IMPOSSIBLE, "quorate.cluster.members=n0@host:7100");
	}

	@Test
	void aNodeThatIsAloneAtItsAddressHasANodeJoin() {
		Layouts alone = Layouts.of("n0", List.of("n0@a:1"), null);
		List<ChangeRequest> asked = new ArrayList<>();
		ClusterChanges its = new ClusterChanges(alone, conditions(alone, new Membership(alone)), (change, _, _) -> {
			asked.add(change);
			return new CompletableFuture<>();
		}, (_) -> this.met);
		assertThat(its.add("n3@d:4", 1)).isNotDone();
		assertThat(asked).hasSize(1);
	}

}
