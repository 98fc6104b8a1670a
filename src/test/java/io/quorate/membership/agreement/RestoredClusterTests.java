package io.quorate.membership.agreement;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;

import io.quorate.consensus.AcceptorState;
import io.quorate.consensus.Answer;
import io.quorate.consensus.Ballot;
import io.quorate.consensus.Decision;
import io.quorate.consensus.Decisions;
import io.quorate.consensus.Participant;
import io.quorate.consensus.Request;
import io.quorate.membership.layout.LayoutCodec;
import io.quorate.membership.layout.LayoutFacts;
import io.quorate.membership.layout.LayoutFixture;
import io.quorate.membership.layout.LayoutMachine;
import io.quorate.membership.layout.LayoutMember;
import io.quorate.membership.layout.LayoutRecord;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.Membership;
import io.quorate.membership.reports.MemberReportsTests;
import io.quorate.storage.ShareChange;
import org.junit.jupiter.api.Test;

import static io.quorate.membership.layout.LayoutFixture.member;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Members whose directories were all restored from backups: no layout names them, and
 * their backups may be of different layouts.
 */
class RestoredClusterTests {

	private static final List<String> CONFIGURED = List.of("n0@host0:7100", "n1@host1:7100", "n2@host2:7100");

	/*
	 * Every directory is restored, and so has another storage id than the layouts name.
	 */
	private static final int RESTORED = 2;

	private final Map<String, Node> nodes = new TreeMap<>();

	private final Map<String, LayoutMember> ready = new HashMap<>();

	private long nowNanos;

	private Node node(int number, int version) {
		return node(number, version, RESTORED, true);
	}

	private Node node(int number, int version, int life, boolean isRestored) {
		LayoutMember present = member(number, "", life);
		this.ready.put(present.id(), present);
		Node node = new Node(present, RecordedLayouts.until(version), isRestored);
		this.nodes.put(present.id(), node);
		return node;
	}

	private void seconds(int count) {
		for (int i = 0; i < count; i++) {
			this.nowNanos += 1_000_000_000L;
			this.nodes.values().forEach((node) -> node.agreement.tick(node::ask));
		}
	}

	private static Decision decision(int version) {
		return RecordedLayouts.until(version).latest();
	}

	private Node first() {
		return Objects.requireNonNull(this.nodes.get("n0"));
	}

	private List<UUID> named() {
		return LayoutCodec.read(first().ledger.state.decisions().latest().decree())
			.members()
			.stream()
			.map(LayoutMember::storageId)
			.toList();
	}

	@Test
	void membersOfOneLayoutNameTheirDirectoriesAnew() {
		for (int number = 0; number < 3; number++) {
			node(number, RecordedLayouts.BEFORE);
		}
		seconds(40);
		assertThat(named()).containsExactly(new UUID(RESTORED, 0), new UUID(RESTORED, 1), new UUID(RESTORED, 2));
		assertThat(this.nodes.values()).extracting((node) -> node.agreement.adopted().version()).containsOnly(5L);
		assertThat(this.nodes.values()).allMatch((node) -> node.blockedBy().isEmpty());
	}

	/* Of three backups only one is left. */
	@Test
	void nodesThatBeginWithAnEmptyDirectoryTakePart() {
		node(0, RecordedLayouts.BEFORE);
		node(1, RecordedLayouts.BEFORE, 3, false);
		node(2, RecordedLayouts.BEFORE, 3, false);
		seconds(40);
		assertThat(named()).containsExactly(new UUID(RESTORED, 0), new UUID(3, 1), new UUID(3, 2));
	}

	@Test
	void nothingIsDecidedWhileAMemberIsAway() {
		node(0, RecordedLayouts.BEFORE);
		node(1, RecordedLayouts.BEFORE);
		seconds(40);
		assertThat(first().agreement.adopted().version()).isEqualTo(2);
		assertThat(first().blockedBy()).containsExactly("n2 is not known");
	}

	/* The lost ones may know of a version that the others do not. */
	@Test
	void aClusterWhoseDirectoriesAreNamedIsLikeOthers() {
		for (int number = 0; number < 3; number++) {
			node(number, RecordedLayouts.BEFORE);
		}
		seconds(40);
		assertThat(this.nodes.values()).noneMatch(Node::areRestored);
		Node left = first();
		node(1, RecordedLayouts.BEFORE, 3, false);
		node(2, RecordedLayouts.BEFORE, 3, false);
		seconds(40);
		assertThat(left.agreement.adopted().version()).isEqualTo(5);
		assertThat(left.blockedBy().getFirst()).contains("no majority of them is left to decide");
	}

	@Test
	void aRestoreIsNotOverBeforeAllAreNamed() {
		for (int number = 0; number < 3; number++) {
			node(number, RecordedLayouts.BEFORE);
		}
		while (first().agreement.adopted().version() < 4) {
			seconds(1);
			assertThat(this.nowNanos).isLessThan(60_000_000_000L);
		}
		// The last one, whose directory is not named yet.
		this.nodes.remove("n2");
		this.ready.remove("n2");
		seconds(40);
		assertThat(this.nodes.values()).allMatch(Node::areRestored);
	}

	/* Without a restore of all, lost directories are lost votes. */
	@Test
	void directoriesThatWereLostDecideNothing() {
		for (int number = 0; number < 3; number++) {
			node(number, RecordedLayouts.BEFORE, 3, false);
		}
		seconds(40);
		assertThat(first().agreement.adopted().version()).isEqualTo(2);
		assertThat(first().blockedBy().getFirst()).contains("no majority of them is left to decide");
	}

	/* One backup was taken before the change had begun there, the others in its midst. */
	@Test
	void backupsFromTheMidstOfAChangeGoOnWithIt() {
		node(0, RecordedLayouts.BEFORE);
		for (int number = 1; number < 4; number++) {
			node(number, RecordedLayouts.JOINT);
		}
		Node first = first();
		first.hears(decision(RecordedLayouts.JOINT));
		assertThat(first.agreement.adopted().version()).isEqualTo(3);
		assertThat(first.assigned).extracting(ShareChange::version).containsExactly(3L);
		seconds(60);
		assertThat(named()).as("the joiner, too")
			.containsExactly(new UUID(RESTORED, 0), new UUID(RESTORED, 1), new UUID(RESTORED, 2),
					new UUID(RESTORED, 3));
		this.nodes.values().forEach((node) -> {
			node.agreement.settled(node.agreement.adopted().version());
			node.agreement.copied(node.agreement.adopted().version());
		});
		seconds(60);
		assertThat(this.nodes.values()).extracting((node) -> node.layouts.current().isJoint()).containsOnly(false);
		assertThat(first.layouts.current().members()).containsExactly("n0", "n1", "n2", "n3");
	}

	/* A member that is not named yet would not learn the end. */
	@Test
	void aChangeDoesNotEndBeforeAllDirectoriesAreNamed() {
		for (int number = 0; number < 4; number++) {
			Node node = node(number, RecordedLayouts.JOINT);
			node.agreement.settled(RecordedLayouts.JOINT);
			node.agreement.copied(RecordedLayouts.JOINT);
		}
		seconds(60);
		LayoutRecord end = first().ledger.state.decisions()
			.kept()
			.stream()
			.map((decision) -> LayoutCodec.read(decision.decree()))
			.filter((record) -> record.member("n3") != null && !record.isJoint())
			.findFirst()
			.orElseThrow();
		assertThat(end.members()).extracting(LayoutMember::storageId)
			.containsExactly(new UUID(RESTORED, 0), new UUID(RESTORED, 1), new UUID(RESTORED, 2),
					new UUID(RESTORED, 3));
	}

	/* n3 may lack what n0 would hide, and n0 would answer for what it does not hold. */
	@Test
	void aBackupOfBeforeAChangeDoesNotFollowOneOfAfterIt() {
		Node before = node(0, RecordedLayouts.BEFORE);
		before.hears(decision(RecordedLayouts.AFTER));
		assertThat(before.agreement.adopted().version()).isEqualTo(2);
		assertThat(before.ledger.state.decisions().latest().version()).as("its next start has none, either")
			.isEqualTo(2);
		assertThat(before.layouts.isOvertaken()).isTrue();
		assertThat(before.layouts.fence()).as("no request of before counts any more").isEqualTo(4);
		assertThat(before.blockedBy().getFirst()).contains("restored at version 2 of the layout",
				"other members have version 4", "with an empty directory", "without --whole-cluster");
		before.hears(decision(RecordedLayouts.JOINT));
		assertThat(before.agreement.adopted().version()).as("it may copy what it gains by that").isEqualTo(3);
		assertThat(before.layouts.fence()).as("and serves nothing by it").isEqualTo(4);
		Node midst = node(3, RecordedLayouts.JOINT);
		midst.hears(decision(RecordedLayouts.AFTER));
		assertThat(midst.agreement.adopted().version()).as("it had not copied all").isEqualTo(3);
	}

	@Test
	void aVoteForALayoutOfAfterAChangeIsNotGiven() throws IOException {
		Node before = node(0, RecordedLayouts.BEFORE);
		Decision after = decision(RecordedLayouts.AFTER);
		Optional<Answer> answer = before.agreement.answer(new Request.Prepare(after, new Ballot(1, new UUID(9, 9))));
		assertThat(answer).isEmpty();
		assertThat(before.ledger.state.decisions().latest().version()).isEqualTo(2);
	}

	@Test
	void aNodeThatWasNotRestoredFollowsAllLayouts() {
		Node node = node(0, RecordedLayouts.BEFORE, 1, false);
		node.hears(decision(RecordedLayouts.AFTER));
		assertThat(node.agreement.adopted().version()).isEqualTo(4);
		assertThat(node.layouts.isOvertaken()).isFalse();
	}

	/* The members that it was restored with have ended the change, and then named it. */
	@Test
	void aNodeFollowsALayoutThatNamesItForWhatItHolds() {
		LayoutRecord after = RecordedLayouts.record(RecordedLayouts.AFTER);
		Node stays = node(0, RecordedLayouts.JOINT);
		stays.hears(new Decision(9, LayoutCodec.write(LayoutMachine.amend(after, member(0, "", RESTORED)))));
		assertThat(stays.agreement.adopted().version()).isEqualTo(9);
		Decision namesJoiner = new Decision(9, LayoutCodec.write(LayoutMachine.amend(after, member(3, "", RESTORED))));
		Node lacking = node(3, RecordedLayouts.JOINT);
		lacking.hears(namesJoiner);
		assertThat(lacking.agreement.adopted().version()).as("it has not copied").isEqualTo(3);
		Node complete = node(3, RecordedLayouts.JOINT);
		complete.agreement.copied(3);
		complete.hears(namesJoiner);
		assertThat(complete.agreement.adopted().version()).isEqualTo(9);
		assertThat(complete.layouts.isOvertaken()).isFalse();
	}

	/** A member with its ledger and its shares in memory. */
	private final class Node implements KeyShares {

		private boolean isRestored;

		private final Layouts layouts;

		private final List<ShareChange> assigned = new ArrayList<>();

		private final MemoryLedger ledger;

		private final LayoutAgreement agreement;

		private Node(LayoutMember present, Decisions kept, boolean isRestored) {
			String id = present.id();
			this.isRestored = isRestored;
			this.layouts = Layouts.of(id, CONFIGURED, 3, id + "@host" + id.charAt(1) + ":7100", List.of());
			this.ledger = new MemoryLedger(AcceptorState.of(kept));
			this.agreement = new LayoutAgreement(this.layouts,
					new Participant(present.voter(), (decree) -> LayoutCodec.read(decree).electorate(), this.ledger),
					this::facts, this, () -> RestoredClusterTests.this.nowNanos);
			this.assigned.clear();
		}

		private LayoutFacts facts() {
			Map<String, LayoutVersion> adopted = new HashMap<>();
			Map<String, Long> copied = new HashMap<>();
			RestoredClusterTests.this.nodes.forEach((id, node) -> {
				adopted.put(id, node.agreement.report().adopted());
				copied.put(id, node.agreement.report().copied());
			});
			Set<String> members = Set.copyOf(this.layouts.current().members());
			Map<String, LayoutMember> known = new HashMap<>(RestoredClusterTests.this.ready);
			known.keySet().retainAll(members);
			return LayoutFixture.met(adopted, copied, known, Map.of());
		}

		private void hears(Decision decision) {
			this.agreement.learned(Decisions.of(decision));
		}

		private List<String> blockedBy() {
			Membership membership = new Membership(this.layouts);
			return this.agreement.status(MemberReportsTests.reports(this.layouts, membership, 3)).blockedBy();
		}

		private void ask(String member, Request request, Duration limit, Consumer<LayoutPeers.Outcome> outcome) {
			assertThat(limit).isPositive();
			Node asked = RestoredClusterTests.this.nodes.get(member);
			if (asked == null) {
				return;
			}
			outcome.accept(LayoutFixture.outcome(asked.agreement, request));
		}

		@Override
		public void assign(ShareChange change) {
			this.assigned.add(change);
		}

		@Override
		public boolean areRestored() {
			return this.isRestored;
		}

		@Override
		public void namedAnew() {
			this.isRestored = false;
		}

	}

}
