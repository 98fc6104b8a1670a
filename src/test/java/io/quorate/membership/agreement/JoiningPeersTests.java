package io.quorate.membership.agreement;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.quorate.consensus.AcceptorState;
import io.quorate.consensus.Answer;
import io.quorate.consensus.Ballot;
import io.quorate.consensus.Decision;
import io.quorate.consensus.Decisions;
import io.quorate.consensus.Decree;
import io.quorate.consensus.Participant;
import io.quorate.consensus.Request;
import io.quorate.consensus.Voter;
import io.quorate.membership.layout.ChangeRequest;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutCodec;
import io.quorate.membership.layout.LayoutFixture;
import io.quorate.membership.layout.LayoutFollower;
import io.quorate.membership.layout.LayoutMachine.Asked;
import io.quorate.membership.layout.LayoutMachine;
import io.quorate.membership.layout.LayoutMember;
import io.quorate.membership.layout.LayoutRecord;
import io.quorate.membership.layout.LayoutSide;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.membership.members.Layouts;
import io.quorate.storage.ShareChange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.quorate.membership.layout.LayoutFixture.member;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A member of n0, n1 and n2, with one copy of each key, while n3 joins: it is n1. */
class JoiningPeersTests {

	private static final LayoutRecord THREE = LayoutFixture.stable(3, 1);

	private static final Decision SECOND = decision(2, THREE);

	private static final LayoutRecord WITH_N3 = LayoutMachine.add(THREE, member(3), LayoutFixture.ASKED);

	private static final Decision THIRD = decision(3, WITH_N3);

	private static final Decision ABORTED = decision(4, LayoutMachine.abort(WITH_N3));

	private static final Decision UNREADABLE = new Decision(4,
			Decree.copyOf("of a later program".getBytes(StandardCharsets.UTF_8)));

	private Layouts layouts = layouts("n1", null);

	private final List<String> heard = new ArrayList<>();

	private final Set<String> reached = new HashSet<>(Set.of("n0", "n2"));

	private final Map<String, LayoutMember> ready = new HashMap<>();

	private KeyShares shares = (_) -> {
	};

	private long nowNanos = 5;

	private boolean hasMetMajority = true;

	private static Layouts layouts(String self, @Nullable String join) {
		return Layouts.of(self, List.of("n0@host0:7100", "n1@host1:7100", "n2@host2:7100"), 1, join, List.of());
	}

	private static Decision decision(long version, LayoutRecord record) {
		return new Decision(version, LayoutCodec.write(record));
	}

	/* That of a node which serves, at version 2. */
	private LayoutAgreement agreement() {
		LayoutAgreement agreement = starting();
		agreement.joining().begin(this.reached::contains, () -> this.hasMetMajority);
		return agreement;
	}

	private LayoutAgreement starting() {
		AcceptorState first = LayoutAgreement.first(this.layouts);
		MemoryLedger ledger = new MemoryLedger(AcceptorState.of(first.decisions().with(SECOND)));
		LayoutAgreement agreement = new LayoutAgreement(this.layouts,
				new Participant(new Voter(this.layouts.self(), new UUID(1, 1)),
						(decree) -> LayoutCodec.read(decree).electorate(), ledger),
				() -> LayoutFixture.met(Map.of(), Map.of(), this.ready, Map.of()),
				(change) -> this.shares.assign(change), () -> this.nowNanos);
		this.layouts.follow(new LayoutFollower() {

			@Override
			public void joins(Endpoint peer) {
				JoiningPeersTests.this.heard.add("joins " + peer.id());
			}

			@Override
			public void adopted(Layout now) {
				JoiningPeersTests.this.heard.add("adopted " + now.version());
			}

			@Override
			public void left(String peer) {
				JoiningPeersTests.this.heard.add("left " + peer);
			}

		});
		this.heard.clear();
		return agreement;
	}

	private static void learn(LayoutAgreement agreement, Decision decision) throws IOException {
		assertThat(agreement.answer(new Request.Learn(decision))).isPresent();
	}

	private void pass(Duration time) {
		this.nowNanos += time.toNanos();
	}

	private long version() {
		return this.layouts.current().version();
	}

	/* By the layout with which it starts it may be a member of long ago. */
	@Test
	void aNodeThatHasMetNoMajorityWaitsForNoPeer() throws IOException {
		this.hasMetMajority = false;
		learn(agreement(), THIRD);
		assertThat(version()).isEqualTo(3);
	}

	@Test
	void aLayoutIsAdoptedWhenThePeerThatJoinsIsReached() throws IOException {
		LayoutAgreement agreement = agreement();
		learn(agreement, THIRD);
		assertThat(this.heard).as("it is connected to from now on").containsExactly("joins n3");
		assertThat(version()).isEqualTo(2);
		assertThat(agreement.adopted().version()).isEqualTo(2);
		assertThat(this.layouts.peers()).extracting(Endpoint::id).containsExactly("n0", "n2");
		assertThat(agreement.joining().isAwaited("n3")).isTrue();
		assertThat(agreement.joining().isAwaited("n2")).isFalse();
		assertThat(agreement.joining().remaining()).isEqualTo(JoiningPeers.LIMIT);
		agreement.adoptLatest();
		assertThat(version()).isEqualTo(2);
		this.reached.add("n3");
		agreement.adoptLatest();
		assertThat(this.heard).containsExactly("joins n3", "adopted 3");
		assertThat(agreement.joining().isAwaited("n3")).isFalse();
		assertThat(agreement.joining().remaining()).isNull();
	}

	@Test
	void aPeerThatIsNotReachedIsAwaitedForABoundedTime() throws IOException {
		LayoutAgreement agreement = agreement();
		learn(agreement, THIRD);
		pass(JoiningPeers.LIMIT.minusNanos(1));
		agreement.adoptLatest();
		assertThat(version()).isEqualTo(2);
		assertThat(agreement.joining().remaining()).isEqualTo(Duration.ofNanos(1));
		pass(Duration.ofNanos(1));
		agreement.tick(JoiningPeersTests::ask);
		assertThat(version()).isEqualTo(3);
		assertThat(this.heard).containsExactly("joins n3", "adopted 3");
		assertThat(JoiningPeers.LIMIT).as("half of what a request has")
			.isLessThanOrEqualTo(Duration.ofSeconds(1).dividedBy(2));
	}

	private static void ask(String member, Request request, Duration limit, Consumer<LayoutPeers.Outcome> outcome) {
		assertThat(limit).isPositive();
	}

	@Test
	void aPeerThatIsReachedAlreadyIsNotAwaited() throws IOException {
		this.reached.add("n3");
		learn(agreement(), THIRD);
		assertThat(this.heard).containsExactly("joins n3", "adopted 3");
	}

	@Test
	void nothingIsAwaitedWhenNoPeerJoins() throws IOException {
		this.reached.clear();
		LayoutAgreement agreement = agreement();
		LayoutRecord without = LayoutMachine.begun(THREE, new ChangeRequest.Remove("n2", false), new Asked(2, "me", 7));
		learn(agreement, decision(3, without));
		assertThat(version()).isEqualTo(3);
		learn(agreement, decision(4, LayoutMachine.abort(without)));
		assertThat(version()).isEqualTo(4);
		learn(agreement,
				decision(5, LayoutMachine.begun(THREE, new ChangeRequest.Replication(2), new Asked(4, "", 7))));
		assertThat(version()).isEqualTo(5);
		assertThat(this.heard).containsExactly("adopted 3", "adopted 4", "adopted 5");
	}

	@Test
	void aNodeThatStartsAwaitsNone() throws IOException {
		LayoutAgreement agreement = starting();
		learn(agreement, THIRD);
		assertThat(version()).isEqualTo(3);
	}

	/* The members that the layout names may be down, and the node takes no requests. */
	@Test
	void theNodeThatJoinsAwaitsNone() throws IOException {
		this.layouts = layouts("n3", "n3@host3:7100");
		LayoutAgreement agreement = agreement();
		this.reached.clear();
		learn(agreement,
				decision(5,
						LayoutMachine.add(LayoutRecord.of(new LayoutSide(List.of(member(0), member(1), member(4)), 1)),
								member(3), LayoutFixture.ASKED)));
		assertThat(version()).isEqualTo(5);
		assertThat(this.heard).containsExactly("joins n4", "adopted 5", "left n2");
	}

	@Test
	void aMemberThatMustNotServeAwaitsNone() throws IOException {
		LayoutAgreement agreement = agreement();
		this.layouts.refuseBefore(3);
		learn(agreement, THIRD);
		assertThat(version()).isEqualTo(3);
	}

	@Test
	void votesAreGivenAndDecisionsShownMeanwhile() throws IOException {
		LayoutAgreement agreement = agreement();
		learn(agreement, THIRD);
		this.ready.put("n1", member(1));
		Ballot ballot = new Ballot(1, new UUID(7, 7));
		assertThat(agreement.answer(new Request.Prepare(THIRD, ballot)))
			.hasValueSatisfying((said) -> assertThat(said).isInstanceOf(Answer.Promise.class));
		assertThat(agreement.answer(new Request.Get(2))).contains(new Answer.Later(Decisions.of(THIRD)));
		assertThat(agreement.later(LayoutVersion.of(SECOND))).isEqualTo(new Decisions(List.of(SECOND, THIRD)));
		assertThat(version()).isEqualTo(2);
	}

	@Test
	void aLaterLayoutWithoutJoinersIsAdoptedAtOnce() throws IOException {
		LayoutAgreement agreement = agreement();
		learn(agreement, THIRD);
		learn(agreement, ABORTED);
		assertThat(this.heard).containsExactly("joins n3", "left n3", "adopted 4");
		assertThat(agreement.joining().isAwaited("n3")).isFalse();
	}

	@Test
	void allDecisionsThatAreNotAdoptedHaveOneWait() throws IOException {
		LayoutAgreement agreement = agreement();
		learn(agreement, THIRD);
		pass(JoiningPeers.LIMIT.dividedBy(2));
		Decision fifth = decision(5, LayoutMachine.add(THREE, member(4), LayoutFixture.ASKED));
		agreement.learned(new Decisions(List.of(fifth)));
		assertThat(this.heard).as("n3 does not join any more").containsExactly("joins n3", "left n3", "joins n4");
		assertThat(agreement.joining().remaining()).isEqualTo(JoiningPeers.LIMIT.dividedBy(2));
		this.reached.add("n3");
		agreement.adoptLatest();
		assertThat(version()).isEqualTo(2);
		pass(JoiningPeers.LIMIT.dividedBy(2));
		agreement.adoptLatest();
		assertThat(version()).isEqualTo(5);
		this.reached.remove("n3");
		learn(agreement, decision(6, THREE));
		pass(JoiningPeers.LIMIT);
		learn(agreement, decision(7, WITH_N3));
		assertThat(version()).as("the next one has a wait of its own").isEqualTo(6);
		assertThat(agreement.joining().remaining()).isEqualTo(JoiningPeers.LIMIT);
	}

	/* As the joining of n3 was aborted, and n3 has been started elsewhere. */
	@Test
	void aPeerThatJoinsAtAnotherAddressIsAnotherPeer() throws IOException {
		LayoutAgreement agreement = agreement();
		learn(agreement, THIRD);
		LayoutMember moved = new LayoutMember(member(3).member(), "elsewhere", 7100, new UUID(2, 3));
		learn(agreement, decision(5, LayoutMachine.add(THREE, moved, LayoutFixture.ASKED)));
		assertThat(this.heard).containsExactly("joins n3", "left n3", "joins n3");
	}

	@Test
	void aLayoutThatCannotBeServedLeavesNothingBehind() throws IOException {
		LayoutAgreement agreement = agreement();
		learn(agreement, THIRD);
		learn(agreement, UNREADABLE);
		assertThat(this.heard).containsExactly("joins n3", "left n3");
		assertThat(agreement.joining().isAwaited("n3")).isFalse();
		agreement.tick(JoiningPeersTests::ask);
		assertThat(this.heard).containsExactly("joins n3", "left n3");
		assertThat(version()).isEqualTo(2);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aLayoutThatCannotBeDerivedLeavesNothingBehind(boolean isForWantOfMemory) throws IOException {
		LayoutAgreement agreement = agreement();
		this.layouts.derive((layout) -> {
			if (layout.version() != 3) {
				return layout;
			}
			if (isForWantOfMemory) {
				throw new OutOfMemoryError("no replica of n3");
			}
			throw new IllegalStateException("no replica of n3");
		});
		learn(agreement, THIRD);
		pass(JoiningPeers.LIMIT);
		assertThatThrownBy(agreement::adoptLatest).hasMessage("no replica of n3");
		assertThat(this.heard).containsExactly("joins n3", "left n3");
		assertThat(version()).isEqualTo(2);
	}

	@Test
	void aFollowerThatFailedHearsOfThePeerAtTheNextAttempt() throws IOException {
		LayoutAgreement agreement = agreement();
		AtomicBoolean fails = new AtomicBoolean(true);
		List<String> taken = new ArrayList<>();
		this.layouts.follow(new LayoutFollower() {

			@Override
			public void joins(Endpoint peer) {
				if (peer.id().equals("n3") && fails.getAndSet(false)) {
					throw new OutOfMemoryError("no replica of n3");
				}
				taken.add(peer.id());
			}

		});
		taken.clear();
		assertThatThrownBy(() -> learn(agreement, THIRD)).hasMessage("no replica of n3");
		assertThat(this.heard).containsExactly("joins n3", "left n3");
		assertThat(taken).isEmpty();
		this.reached.add("n3");
		agreement.tick(JoiningPeersTests::ask);
		agreement.tick(JoiningPeersTests::ask);
		assertThat(version()).isEqualTo(3);
		assertThat(this.heard).containsExactly("joins n3", "left n3", "joins n3", "adopted 3");
		assertThat(taken).containsExactly("n3");
	}

	@Test
	void aDiskThatFailsIsTriedAgainWithoutAnotherWait() throws IOException {
		LayoutAgreement agreement = agreement();
		this.shares = new FullDisk();
		learn(agreement, THIRD);
		this.reached.add("n3");
		agreement.adoptLatest();
		assertThat(version()).isEqualTo(2);
		this.reached.remove("n3");
		this.shares = (_) -> {
		};
		agreement.tick(JoiningPeersTests::ask);
		assertThat(this.heard).containsExactly("joins n3", "adopted 3");
	}

	@Test
	void anOperatorIsAnsweredWhenTheChangeIsAdopted() throws IOException {
		LayoutAgreement agreement = agreement();
		CompletableFuture<LayoutVersion> add = agreement.change(
				new ChangeRequest.Add(Endpoint.parse("n3@host3:7100"), member(3).storageId()), 2, "an operator",
				JoiningPeersTests::ask);
		learn(agreement, THIRD);
		assertThat(add).isNotDone();
		CompletableFuture<LayoutVersion> second = agreement.change(new ChangeRequest.Remove("n0", false), 2, "another",
				JoiningPeersTests::ask);
		assertThat(second.exceptionNow()).hasMessageContaining("another change is being decided");
		this.reached.add("n3");
		agreement.adoptLatest();
		assertThat(add).isDone();
	}

	/** The shares of a store whose disk is full. */
	private static final class FullDisk implements KeyShares {

		@Override
		public void assign(ShareChange change) throws IOException {
			throw new IOException("no space");
		}

	}

}
