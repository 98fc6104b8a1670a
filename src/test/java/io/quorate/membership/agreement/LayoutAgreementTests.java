package io.quorate.membership.agreement;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.quorate.consensus.AcceptorState;
import io.quorate.consensus.Answer;
import io.quorate.consensus.Ballot;
import io.quorate.consensus.ConflictingDecreeException;
import io.quorate.consensus.ConsensusCodec;
import io.quorate.consensus.Decision;
import io.quorate.consensus.Decisions;
import io.quorate.consensus.Decree;
import io.quorate.consensus.Participant;
import io.quorate.consensus.Request;
import io.quorate.consensus.Voter;
import io.quorate.membership.layout.ChangeRefusedException;
import io.quorate.membership.layout.ChangeRequest;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutCodec;
import io.quorate.membership.layout.LayoutException;
import io.quorate.membership.layout.LayoutFixture;
import io.quorate.membership.layout.LayoutMachine;
import io.quorate.membership.layout.LayoutMember;
import io.quorate.membership.layout.LayoutRecord;
import io.quorate.membership.layout.LayoutSide;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.Membership;
import io.quorate.membership.reports.MemberReports;
import io.quorate.membership.reports.MemberReportsTests;
import io.quorate.ring.Member;
import io.quorate.storage.ShareChange;
import org.junit.jupiter.api.Test;

import static io.quorate.membership.layout.LayoutFixture.member;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** One node's part in decisions about the layout of n0, n1 and n2: this node is n1. */
class LayoutAgreementTests {

	private static final Ballot HIGH = new Ballot(9, new UUID(9, 9));

	private final Layouts layouts = Layouts.of("n1", List.of("n0@host0:7100", "n1@host1:7100", "n2@host2:7100"), null);

	private final MemoryLedger ledger = new MemoryLedger(LayoutAgreement.first(this.layouts));

	private final Decision first = this.ledger.state.decisions().latest();

	private final LayoutRecord activated = LayoutFixture.stable(3, 3);

	private final Decision second = new Decision(2, LayoutCodec.write(this.activated));

	private final Map<String, LayoutMember> ready = new HashMap<>();

	private final Map<String, LayoutVersion> reports = new HashMap<>();

	private final Map<String, String> obstacles = new HashMap<>();

	private final Map<String, UUID> alive = new HashMap<>();

	private final List<Asked> asked = new ArrayList<>();

	private final List<ShareChange> assigned = new ArrayList<>();

	private long nowNanos;

	private record Asked(String member, Request request, Consumer<LayoutPeers.Outcome> outcome) {
	}

	private LayoutAgreement agreement() {
		return agreement(this.assigned::add);
	}

	private LayoutAgreement agreement(KeyShares shares) {
		return new LayoutAgreement(this.layouts,
				new Participant(new Voter("n1", member(1).storageId()),
						(decree) -> LayoutCodec.read(decree).electorate(), this.ledger),
				() -> LayoutFixture.facts(this.reports, this.ready, this.obstacles, this.alive), shares,
				() -> this.nowNanos);
	}

	private void ready(int... members) {
		for (int member : members) {
			this.ready.put("n" + member, member(member));
		}
	}

	private void ask(String member, Request request, Duration limit, Consumer<LayoutPeers.Outcome> outcome) {
		assertThat(limit).isPositive();
		this.asked.add(new Asked(member, request, outcome));
	}

	private void second(LayoutAgreement agreement) {
		agreement.tick(this::ask);
		this.nowNanos += Duration.ofSeconds(1).toNanos();
	}

	@Test
	void theFirstMemberThatCanVoteProposesAtOnce() {
		ready(1, 2);
		this.obstacles.put("n0", "n0 is disconnected");
		LayoutAgreement agreement = agreement();
		second(agreement);
		assertThat(this.asked).as("all members activate the layout together").isEmpty();
		ready(0);
		second(agreement);
		second(agreement);
		assertThat(this.asked).as("n0 comes first").isEmpty();
		second(agreement);
		assertThat(this.asked).extracting(Asked::member).containsExactly("n0", "n2");
		assertThat(this.asked).extracting(Asked::request)
			.allSatisfy((request) -> assertThat(request).isInstanceOf(Request.Prepare.class));
	}

	@Test
	void anActivationThatAllVoteForIsAdopted() {
		ready(0, 1, 2);
		LayoutAgreement agreement = agreement();
		Ballot ballot = prepared(agreement);
		answer(0, new Answer.Promise(2, voter(0), ballot, null));
		answer(1, new Answer.Promise(2, voter(2), ballot, null));
		assertThat(this.asked).hasSize(4);
		assertThat(this.asked.getLast().request())
			.isEqualTo(new Request.Accept(this.first, ballot, this.second.decree()));
		answer(2, new Answer.Accepted(2, voter(0), ballot));
		assertThat(agreement.adopted().version()).isEqualTo(Layout.FIRST);
		answer(3, new Answer.Accepted(2, voter(2), ballot));
		assertThat(agreement.adopted()).isEqualTo(LayoutVersion.of(this.second));
		assertThat(this.layouts.current().version()).isEqualTo(2);
		assertThat(this.asked).extracting(Asked::request).endsWith(new Request.Learn(this.second));
		assertThat(this.ledger.state.decisions().latest()).isEqualTo(this.second);
		this.asked.clear();
		second(agreement);
		assertThat(this.asked).isEmpty();
	}

	/* The ballot of the first attempt, which begins after three seconds. */
	private Ballot prepared(LayoutAgreement agreement) {
		for (int i = 0; i < 3; i++) {
			second(agreement);
		}
		return ((Request.Prepare) this.asked.getFirst().request()).ballot();
	}

	private void answer(int request, Answer answer) {
		this.asked.get(request).outcome().accept(new LayoutPeers.Outcome.Answered(answer));
	}

	private static Voter voter(int number) {
		return member(number).voter();
	}

	@Test
	void anAttemptWithoutAnswersIsGivenUpAndTheNextOnesComeLater() {
		ready(0, 1, 2);
		LayoutAgreement agreement = agreement();
		List<Integer> attempts = new ArrayList<>();
		for (int i = 0; i < 400; i++) {
			int before = this.asked.size();
			second(agreement);
			if (this.asked.size() > before) {
				attempts.add(i);
			}
		}
		assertThat(attempts).startsWith(2, 8, 15, 24).hasSizeLessThan(14);
		assertThat(agreement.status(reports()).blockedBy())
			.containsExactly("version 2 is not decided: 2 of 3 members have not answered within 3 s: n0, n2");
		List<Long> rounds = this.asked.stream()
			.map((each) -> ((Request.Prepare) each.request()).ballot().round())
			.toList();
		assertThat(rounds).isSorted().hasSize(2 * attempts.size());
		assertThat(rounds.stream().distinct()).as("two members are asked each time").hasSize(attempts.size());
	}

	@Test
	void anAttemptInVainNamesWhoGaveNoVoteAndWhy() {
		ready(0, 1, 2);
		LayoutAgreement agreement = agreement();
		Ballot ballot = prepared(agreement);
		answer(0, new Answer.Promise(2, voter(0), ballot, null));
		this.asked.get(1).outcome().accept(new LayoutPeers.Outcome.Refused("no space"));
		for (int i = 0; i < 3; i++) {
			second(agreement);
		}
		assertThat(agreement.status(reports()).blockedBy())
			.containsExactly("version 2 is not decided: 1 of 3 members have not answered within 3 s: n2 (no space)");
	}

	@Test
	void afterAWishThatVanishedTheNextOneIsProposedAtOnceAgain() throws IOException {
		ready(0, 1, 2);
		LayoutAgreement agreement = agreement();
		for (int i = 0; i < 40; i++) {
			second(agreement);
		}
		this.ready.remove("n2");
		this.obstacles.put("n2", "n2 is disconnected");
		second(agreement);
		assertThat(agreement.status(reports()).blockedBy()).containsExactly("n2 is disconnected");
		this.asked.clear();
		ready(2);
		List<Integer> attempts = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			int before = this.asked.size();
			second(agreement);
			if (this.asked.size() > before) {
				attempts.add(i);
			}
		}
		assertThat(attempts).as("with the pauses of a first attempt").containsExactly(2, 8);
	}

	@Test
	void anotherContentOfAKnownVersionIsFoundAndShownForAWhile() throws IOException {
		LayoutAgreement agreement = agreement();
		agreement.answer(new Request.Learn(this.second));
		Decision other = new Decision(2, large(2));
		this.reports.put("n2", new LayoutVersion(3, 3));
		agreement.catchUp(this::ask);
		answer(0, new Answer.Later(Decisions.of(other).with(new Decision(3, large(3)))));
		assertThat(agreement.adopted()).isEqualTo(LayoutVersion.of(this.second));
		assertThat(agreement.status(reports()).blockedBy()).anyMatch((each) -> each.contains("of another cluster"));
		this.reports.clear();
		for (int i = 0; i <= 60; i++) {
			second(agreement);
		}
		assertThat(agreement.status(reports()).blockedBy()).as("it was met long ago")
			.noneMatch((each) -> each.contains("of another cluster"));
		assertThatExceptionOfType(ConflictingDecreeException.class)
			.isThrownBy(() -> agreement.answer(new Request.Learn(other)));
		assertThat(agreement.status(reports()).blockedBy()).anyMatch((each) -> each.contains("of another cluster"));
	}

	@Test
	void aLayoutOfANewerProgramIsNamedAsThat() {
		this.ledger.state = AcceptorState.of(new Decision(7, Decree.copyOf(new byte[] { 99 })));
		assertThatExceptionOfType(NewerLayoutException.class).isThrownBy(this::agreement)
			.withMessageContaining("version 7 of the layout (file LAYOUT) was decided by a newer program");
	}

	@Test
	void aNodeThatCannotVoteLearnsAllTheSame() throws IOException {
		LayoutAgreement agreement = agreement();
		assertThat(agreement.answer(new Request.Prepare(this.first, HIGH))).isEmpty();
		assertThat(agreement.answer(new Request.Accept(this.first, HIGH, this.second.decree()))).isEmpty();
		assertThat(this.ledger.writes).isZero();
		assertThat(agreement.answer(new Request.Learn(this.second))).contains(new Answer.Learned(2));
		assertThat(agreement.adopted()).isEqualTo(LayoutVersion.of(this.second));
		assertThat(agreement.answer(new Request.Get(1))).contains(new Answer.Later(Decisions.of(this.second)));
	}

	@Test
	void aNodeVotesForNoLayoutThatMayNotFollow() throws IOException {
		ready(0, 1, 2);
		LayoutAgreement agreement = agreement();
		LayoutRecord four = LayoutFixture.stable(4, 3);
		assertThat(agreement.answer(new Request.Accept(this.first, HIGH, LayoutCodec.write(four)))).isEmpty();
		assertThat(agreement.answer(new Request.Accept(this.first, HIGH, this.first.decree()))).isEmpty();
		assertThat(this.ledger.writes).isZero();
		assertThat(agreement.answer(new Request.Accept(this.first, HIGH, this.second.decree())))
			.contains(new Answer.Accepted(2, voter(1), HIGH));
	}

	/*
	 * Of two processes with one id at most one is connected to a majority of the voters.
	 */
	@Test
	void aNodeVotesForNoDirectoryInThePlaceOfOneThatIsAlive() throws IOException {
		ready(0, 1, 2);
		LayoutAgreement agreement = agreement();
		this.alive.put("n2", member(2, "", 2).storageId());
		assertThat(agreement.answer(new Request.Accept(this.first, HIGH, this.second.decree())))
			.as("an activation with another process than this node is connected to")
			.isEmpty();
		this.alive.put("n2", member(2).storageId());
		agreement.answer(new Request.Learn(this.second));
		Request anew = new Request.Accept(this.second, HIGH,
				LayoutCodec.write(LayoutMachine.amend(this.activated, member(2, "", 2))));
		assertThat(agreement.answer(anew)).isEmpty();
		this.alive.put("n2", member(2, "", 2).storageId());
		assertThat(agreement.answer(anew)).contains(new Answer.Accepted(3, voter(1), HIGH));
		this.alive.put("n1", member(1).storageId());
		assertThat(agreement.answer(new Request.Accept(this.second, new Ballot(10, new UUID(9, 9)),
				LayoutCodec.write(LayoutMachine.amend(this.activated, member(1, "", 2))))))
			.as("this node itself is alive")
			.isEmpty();
	}

	@Test
	void membersThatDifferLearnFromEachOther() {
		LayoutAgreement agreement = agreement();
		agreement.compareWith("n2", this::ask);
		agreement.compareWith("n0", this::ask);
		assertThat(this.asked).as("at most ten in a second")
			.singleElement()
			.satisfies((only) -> assertThat(only.member() + only.request())
				.isEqualTo("n2" + new Request.Learn(this.first)));
		answer(0, new Answer.Later(Decisions.of(this.second)));
		assertThat(agreement.adopted().version()).isEqualTo(2);
		this.nowNanos += LayoutLearner.COMPARE_PAUSE.toNanos();
		agreement.compareWith("n0", this::ask);
		assertThat(this.asked.getLast().member()).isEqualTo("n0");
		assertThat(this.asked.getLast().request()).isEqualTo(new Request.Learn(this.second));
		agreement.compareWith("n2", this::ask);
		assertThat(this.asked).hasSize(2);
		this.nowNanos += LayoutLearner.COMPARE_PAUSE.toNanos();
		agreement.compareWith("n2", this::ask);
		assertThat(this.asked).as("n0 has not answered").hasSize(3);
	}

	@Test
	void aMemberThatWasNotReachedIsComparedWithAgainAtOnce() {
		LayoutAgreement agreement = agreement();
		agreement.compareWith("n2", this::ask);
		this.asked.getLast().outcome().accept(new LayoutPeers.Outcome.Refused("not reached"));
		agreement.compareWith("n2", this::ask);
		assertThat(this.asked).hasSize(2);
	}

	@Test
	void aMemberThatIsBehindAsksTheOneThatKnowsMost() {
		LayoutAgreement agreement = agreement();
		this.reports.put("n0", new LayoutVersion(1, 1));
		this.reports.put("n2", LayoutVersion.of(this.second));
		agreement.catchUp(this::ask);
		agreement.catchUp(this::ask);
		assertThat(this.asked).singleElement()
			.satisfies((only) -> assertThat(only.member() + only.request()).isEqualTo("n2" + new Request.Get(0)));
		this.nowNanos += Duration.ofSeconds(1).toNanos();
		this.reports.put("n0", new LayoutVersion(9, 9));
		ready(2);
		agreement.catchUp(this::ask);
		assertThat(this.asked).as("the first question was lost, and n0 is away").hasSize(2);
		assertThat(this.asked.getLast().member()).isEqualTo("n2");
		answer(1, new Answer.Later(Decisions.of(this.second)));
		assertThat(agreement.adopted().version()).isEqualTo(2);
		this.asked.clear();
		this.reports.remove("n0");
		agreement.catchUp(this::ask);
		assertThat(this.asked).isEmpty();
	}

	@Test
	void aDirectoryThatWasLostIsNamedAnew() throws IOException {
		ready(0, 1);
		this.ready.put("n2", member(2, "", 2));
		LayoutAgreement agreement = agreement();
		agreement.answer(new Request.Learn(this.second));
		this.ready.remove("n0");
		second(agreement);
		Ballot ballot = ((Request.Prepare) this.asked.getFirst().request()).ballot();
		answer(0, new Answer.Promise(3, voter(0), ballot, null));
		LayoutRecord amended = LayoutMachine.amend(this.activated, member(2, "", 2));
		assertThat(this.asked.getLast().request())
			.isEqualTo(new Request.Accept(this.second, ballot, LayoutCodec.write(amended)));
	}

	@Test
	void theNewestOfManyLargeDecisionsAreAnswered() throws IOException {
		LayoutAgreement agreement = agreement();
		for (int version = 2; version <= 9; version++) {
			agreement.answer(new Request.Learn(new Decision(version, large(version))));
		}
		assertThat(agreement.answer(new Request.Get(1)).orElseThrow()).isInstanceOfSatisfying(Answer.Later.class,
				(later) -> {
					assertThat(later.decisions().kept()).extracting(Decision::version).containsExactly(6L, 7L, 8L, 9L);
					assertThat(ConsensusCodec.write(later).length).isBetween(200_000, 262_144 + 100);
				});
		assertThat(agreement.answer(new Request.Get(8)))
			.contains(new Answer.Later(Decisions.of(new Decision(9, large(9)))));
	}

	/* Some 61,000 bytes. */
	private static Decree large(int life) {
		List<LayoutMember> members = IntStream.range(0, 200)
			.mapToObj((i) -> new LayoutMember(Member.of("n" + i), "h".repeat(250) + i, 7100, new UUID(life, i)))
			.toList();
		return LayoutCodec.write(LayoutRecord.of(new LayoutSide(members, 3)));
	}

	@Test
	void aLedgerThatFailsSilencesTheNodeUntilItsNextStart() {
		ready(0, 1, 2);
		LayoutAgreement agreement = agreement();
		this.ledger.failure = new IOException("no space");
		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> agreement.answer(new Request.Accept(this.first, HIGH, this.second.decree())));
		this.ledger.failure = null;
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> agreement.answer(new Request.Learn(this.second)))
			.withMessageContaining("failed before: no space");
		assertThat(agreement.adopted().version()).isEqualTo(Layout.FIRST);
		for (int i = 0; i < 4; i++) {
			second(agreement);
		}
		assertThat(this.asked).as("its ballots would not be durable").isEmpty();
		assertThat(agreement.status(reports()).blockedBy()).singleElement()
			.asString()
			.startsWith("the file LAYOUT cannot be written");
	}

	@Test
	void aNodeThatTheLastLayoutDoesNotNameIsNoMember() {
		LayoutRecord without = LayoutRecord.of(new LayoutSide(List.of(member(0), member(2), member(3)), 3));
		this.ledger.state = AcceptorState.of(new Decision(7, LayoutCodec.write(without)));
		assertThatExceptionOfType(FormerMemberException.class).isThrownBy(() -> agreement(new FormerMemberTests.Used()))
			.withMessageContaining("version 7 of the layout (file LAYOUT) does not name this node, 'n1'");
	}

	@Test
	void aMemberThatWasAwayLearnsThatItHasLeft() {
		this.ledger.state = AcceptorState.of(Decisions.of(this.first).with(this.second));
		LayoutAgreement agreement = agreement();
		LayoutRecord without = LayoutRecord.of(new LayoutSide(List.of(member(0), member(2)), 2));
		Decision later = new Decision(3, LayoutCodec.write(without));
		LayoutVersion theirs = LayoutVersion.of(this.second);
		assertThat(agreement.later(theirs)).isNull();
		assertThat(this.layouts.hasLeft()).isFalse();
		agreement.learned(Decisions.of(later));
		assertThat(this.layouts.isMember()).isFalse();
		assertThat(this.layouts.hasLeft()).isTrue();
		assertThat(agreement.status(reports()).blockedBy())
			.containsExactly("this node, n1, has left the cluster: it can be stopped");
		assertThat(agreement.later(theirs)).as("for another node that was away")
			.isEqualTo(new Decisions(List.of(this.second, later)));
		assertThat(agreement.later(new LayoutVersion(2, theirs.hash() + 1))).as("of another history").isNull();
		assertThat(agreement.later(LayoutVersion.of(later))).isNull();
		assertThat(agreement.later(new LayoutVersion(0, 7))).as("a version that is not kept")
			.isEqualTo(new Decisions(List.of(this.first, this.second, later)));
		assertThatExceptionOfType(FormerMemberException.class).as("after a restart").isThrownBy(this::agreement);
	}

	@Test
	void aNodeWithTheDirectoryOfAFormerMemberIsNotAdded() {
		this.ledger.state = AcceptorState.of(Decisions.of(this.first).with(this.second));
		CompletableFuture<LayoutVersion> add = agreement()
			.change(new ChangeRequest.Add(Endpoint.parse("n7@host7:7100"), member(2).storageId()), 2, "me", this::ask);
		assertThat(add.exceptionNow()).isInstanceOf(ChangeRefusedException.class)
			.hasMessageContaining("the directory of the node is that of n2 in version 2 of the layout: move it away");
		assertThat(this.asked).isEmpty();
	}

	@Test
	void anActivationWithOtherMembersThanTheConfigurationIsNotServed() throws IOException {
		this.ledger.state = AcceptorState.of(new Decision(2, LayoutCodec.write(LayoutFixture.stable(4, 3))));
		assertThatExceptionOfType(LayoutException.class).isThrownBy(this::agreement)
			.withMessageContaining("version 2 of the layout (file LAYOUT) has the members [n0, n1, n2, n3], 3 copies");
		this.ledger.state = AcceptorState.of(this.first);
		LayoutAgreement agreement = agreement();
		agreement.answer(new Request.Learn(new Decision(2, LayoutCodec.write(LayoutFixture.stable(4, 3)))));
		assertThat(agreement.adopted().version()).as("it serves the one before").isEqualTo(Layout.FIRST);
		assertThat(agreement.status(reports()).blockedBy()).singleElement().asString().contains("version 2");
	}

	@Test
	void aNodeAdoptsALayoutWithOtherMembersThanTheConfiguration() throws IOException {
		LayoutAgreement agreement = agreement();
		agreement.answer(new Request.Learn(this.second));
		Decision joint = new Decision(3,
				LayoutCodec.write(LayoutMachine.add(this.activated, member(3), LayoutFixture.ASKED)));
		agreement.answer(new Request.Learn(joint));
		assertThat(this.layouts.current().isJoint()).isTrue();
		assertThat(this.layouts.current().members()).containsExactly("n0", "n1", "n2", "n3");
		assertThat(this.assigned).as("n1 gains nothing").singleElement().matches(ShareChange::isEmpty);
		assertThat(agreement.report().adopted().version()).as("reported when its writes of before are on the disk")
			.isEqualTo(Layout.FIRST);
		agreement.settled(2);
		assertThat(agreement.report().adopted().version()).isEqualTo(Layout.FIRST);
		agreement.settled(3);
		assertThat(agreement.report().adopted()).isEqualTo(LayoutVersion.of(joint));
		agreement.copied(2);
		assertThat(agreement.report().copied()).as("by an earlier version").isZero();
		agreement.copied(3);
		assertThat(agreement.report().copied()).isEqualTo(LayoutFixture.ASKED.version() + 1);
	}

	@Test
	void aStartServesTheLayoutOfTheFile() {
		this.ledger.state = AcceptorState.of(Decisions.of(this.first).with(this.second));
		assertThat(agreement().adopted()).isEqualTo(LayoutVersion.of(this.second));
		assertThat(this.layouts.current().version()).isEqualTo(2);
	}

	@Test
	void theStatusNamesWhatTheActivationWaitsFor() {
		ready(0, 1);
		this.obstacles.put("n2", "n2 runs an older program");
		this.reports.put("n0", new LayoutVersion(1, 5));
		LayoutStatus status = agreement().status(reports());
		assertThat(status.state()).isEqualTo(LayoutStatus.State.CONFIGURED);
		assertThat(status.blockedBy()).containsExactly("n2 runs an older program");
		assertThat(status.members()).extracting(LayoutStatus.Member::id).containsExactly("n0", "n1", "n2");
		assertThat(status.members()).extracting(LayoutStatus.Member::adopted).containsExactly(1L, 1L, 0L);
	}

	private MemberReports reports() {
		Membership membership = new Membership(this.layouts);
		return MemberReportsTests.reports(this.layouts, membership, 3);
	}

}
