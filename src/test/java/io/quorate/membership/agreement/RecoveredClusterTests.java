package io.quorate.membership.agreement;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.quorate.consensus.AcceptorState;
import io.quorate.consensus.Ballot;
import io.quorate.consensus.Decision;
import io.quorate.consensus.Decisions;
import io.quorate.consensus.Participant;
import io.quorate.consensus.Request;
import io.quorate.consensus.file.LedgerFile;
import io.quorate.membership.agreement.RecoveredLayout.Survivor;
import io.quorate.membership.layout.ChangeRequest;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.Layout;
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
import org.junit.jupiter.api.io.TempDir;

import static io.quorate.membership.layout.LayoutFixture.member;
import static org.assertj.core.api.Assertions.assertThat;

/** Members n0 and n1 that were left of four, and a member that was given up. */
class RecoveredClusterTests {

	private static final List<String> CONFIGURED = List.of("n0@host0:7100", "n1@host1:7100", "n2@host2:7100",
			"n3@host3:7100");

	private static final LayoutRecord BEFORE = LayoutFixture.stable(4, 3);

	private static final Decision KNOWN = new Decision(7, LayoutCodec.write(BEFORE));

	private final Map<String, Node> nodes = new TreeMap<>();

	private final Map<String, LayoutMember> ready = new HashMap<>();

	private long nowNanos;

	@TempDir
	private Path home;

	private Node node(int number, Decisions kept) {
		LayoutMember present = member(number);
		this.ready.put(present.id(), present);
		Node node = new Node(present, kept);
		this.nodes.put(present.id(), node);
		return node;
	}

	private Node left(int number) throws IOException {
		return node(number, recovered().recovered().decisions());
	}

	/* As the file of a member that is left has it. */
	private LedgerFile recovered() throws IOException {
		Survivor zero = survivor(0);
		RecoveredLayout layout = RecoveredLayout.of(List.of(zero, survivor(1)));
		layout.layout().write(this.home, zero.id(), zero.storageId());
		return LedgerFile.open(this.home.resolve("LAYOUT"), member(0).voter());
	}

	private Survivor survivor(int number) throws IOException {
		Path directory = Files.createDirectories(this.home.resolve("n" + number));
		return new Survivor("n" + number, member(number).storageId(),
				RecordedLayouts.write(directory, "n" + number, 7, BEFORE));
	}

	private void seconds(int count) {
		for (int i = 0; i < count; i++) {
			this.nowNanos += 1_000_000_000L;
			this.nodes.values().forEach((node) -> node.agreement.tick(node::ask));
		}
	}

	@Test
	void membersThatAreLeftDecideAgain() throws IOException {
		Node zero = left(0);
		Node one = left(1);
		assertThat(zero.layouts.current().members()).containsExactly("n0", "n1");
		long version = zero.agreement.adopted().version();
		CompletableFuture<LayoutVersion> begun = zero.agreement.change(
				new ChangeRequest.Add(Endpoint.parse("n4@host4:7100"), member(4).storageId()), version, "an operator",
				zero::ask);
		seconds(5);
		assertThat(begun.join().version()).isEqualTo(version + 1);
		assertThat(one.agreement.adopted()).isEqualTo(begun.join());
		assertThat(one.layouts.current().members()).containsExactly("n0", "n1", "n4");
	}

	@Test
	void aMemberThatHasNotBeenRecoveredDoesNotLearnOfTheOthers() throws IOException {
		Node givenUp = node(2, Decisions.of(KNOWN));
		Decision recovered = recovered().recovered().decisions().latest();
		givenUp.agreement.learned(Decisions.of(recovered));
		assertThat(givenUp.agreement.answer(new Request.Prepare(recovered, new Ballot(9, member(0).storageId()))))
			.isEmpty();
		assertThat(givenUp.agreement.adopted().version()).isEqualTo(7);
		assertThat(givenUp.layouts.hasLeft()).isFalse();
		assertThat(givenUp.blockedBy().getFirst()).contains("members that were recovered without this node",
				"version 7", "version 1000000008");
	}

	@Test
	void aMemberThatWasGivenUpIsShownNoLayout() throws IOException {
		Node left = left(0);
		for (long version : new long[] { 2, 7, 20 }) {
			assertThat(left.agreement.later(new LayoutVersion(version, 1))).isNull();
		}
		assertThat(Objects.requireNonNull(left.agreement.later(new LayoutVersion(Layout.FIRST, 1))).latest().version())
			.as("an empty directory")
			.isEqualTo(1_000_000_008);
	}

	@Test
	void votesOfTheLostMajorityCountForNothing() throws IOException {
		Node left = left(0);
		Decision since = new Decision(8, LayoutCodec.write(LayoutMachine.amend(BEFORE, member(3, "", 2))));
		left.agreement.learned(Decisions.of(since));
		assertThat(left.agreement.adopted().version()).isEqualTo(1_000_000_008);
		assertThat(left.ledger.state.decisions().kept()).hasSize(1);
	}

	/* n0 was no replica of some keys, and may have lost them in a change before. */
	@Test
	void aMemberThatIsLeftTakesTheKeysThatItHoldsNow() throws IOException {
		Node left = left(0);
		assertThat(left.assigned).isNotNull()
			.extracting(ShareChange::isWhole, ShareChange::version)
			.containsExactly(true, 1_000_000_008L);
		assertThat(left.assigned.lost()).as("of two members each holds all").isEmpty();
	}

	@Test
	void aNodeWithAnEmptyDirectoryLearnsThatItIsNoMember() throws IOException {
		Node empty = new Node(member(2), LayoutAgreement.first(layouts("n2")).decisions());
		empty.agreement.learned(recovered().recovered().decisions());
		assertThat(empty.agreement.adopted().version()).isEqualTo(1_000_000_008);
		assertThat(empty.layouts.isMember()).isFalse();
		assertThat(empty.layouts.hasLeft()).as("it may be added").isFalse();
	}

	/* It may be one of a majority that was never asked to decide, and runs on. */
	@Test
	void aMemberOfTheFirstLayoutWithDataIsNotEndedByARecovery() throws IOException {
		Node runs = new Node(member(2), LayoutAgreement.first(layouts("n2")).decisions(), true);
		runs.agreement.learned(recovered().recovered().decisions());
		assertThat(runs.agreement.adopted().version()).isEqualTo(Layout.FIRST);
		assertThat(runs.layouts.hasLeft()).isFalse();
		Node left = new Node(member(0), LayoutAgreement.first(layouts("n0")).decisions(), true);
		left.agreement.learned(recovered().recovered().decisions());
		assertThat(left.agreement.adopted().version()).as("that names it").isEqualTo(1_000_000_008);
	}

	private static Layouts layouts(String id) {
		return Layouts.of(id, CONFIGURED, 3, null, List.of());
	}

	/** A member with its ledger and its shares in memory. */
	private final class Node implements KeyShares {

		private final Layouts layouts;

		private final MemoryLedger ledger;

		private final LayoutAgreement agreement;

		private ShareChange assigned = new ShareChange(1, Set.of(), Set.of());

		private final boolean hasData;

		private Node(LayoutMember present, Decisions kept) {
			this(present, kept, false);
		}

		private Node(LayoutMember present, Decisions kept, boolean hasData) {
			this.hasData = hasData;
			this.layouts = layouts(present.id());
			this.ledger = new MemoryLedger(AcceptorState.of(kept));
			this.agreement = new LayoutAgreement(this.layouts,
					new Participant(present.voter(), (decree) -> LayoutCodec.read(decree).electorate(), this.ledger),
					this::facts, this, () -> RecoveredClusterTests.this.nowNanos);
		}

		private LayoutFacts facts() {
			Map<String, LayoutMember> known = new HashMap<>(RecoveredClusterTests.this.ready);
			known.keySet().retainAll(this.layouts.current().members());
			return LayoutFixture.met(Map.of(), Map.of(), known, Map.of());
		}

		private List<String> blockedBy() {
			Membership membership = new Membership(this.layouts);
			return this.agreement.status(MemberReportsTests.reports(this.layouts, membership, 3)).blockedBy();
		}

		private void ask(String member, Request request, Duration limit, Consumer<LayoutPeers.Outcome> outcome) {
			assertThat(limit).isPositive();
			Node asked = RecoveredClusterTests.this.nodes.get(member);
			if (asked == null) {
				return;
			}
			outcome.accept(LayoutFixture.outcome(asked.agreement, request));
		}

		@Override
		public void assign(ShareChange change) {
			this.assigned = change;
		}

		@Override
		public boolean hasHeld() {
			return this.hasData;
		}

	}

}
