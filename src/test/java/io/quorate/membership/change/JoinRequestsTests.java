package io.quorate.membership.change;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import io.quorate.membership.agreement.LayoutProposals;
import io.quorate.membership.layout.ChangeRequest;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutRecord;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.membership.members.HostPattern;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.MemberState;
import io.quorate.membership.members.Membership;
import io.quorate.membership.reports.MemberReports;
import io.quorate.membership.reports.MemberReportsTests;
import io.quorate.ring.Ring;
import io.quorate.ring.RingPair;
import io.quorate.storage.FormatLevel;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static io.quorate.membership.layout.LayoutFixture.stable;
import static org.assertj.core.api.Assertions.assertThat;

class JoinRequestsTests {

	private static final UUID STORAGE = new UUID(1, 3);

	private static final CandidateContact.Candidate NEW = new CandidateContact.Candidate(STORAGE, false, null);

	private static final String N3 = "n3@n3.peers:7100";

	private static final String N4 = "n4@n4.peers:7100";

	private final Layouts layouts = Layouts.of("n0", List.of("n0@a:1", "n1@b:2", "n2@c:3"), null);

	private final Membership membership = new Membership(this.layouts);

	private final List<ChangeRequest> proposed = new ArrayList<>();

	private final List<String> askers = new ArrayList<>();

	private final Deque<Runnable> steps = new ArrayDeque<>();

	private CompletableFuture<CandidateContact.Candidate> met = CompletableFuture.completedFuture(NEW);

	private CompletableFuture<LayoutVersion> decided = new CompletableFuture<>();

	private final LayoutProposals proposals = (change, _, by) -> {
		this.proposed.add(change);
		this.askers.add(by);
		return this.decided;
	};

	private final MemberReports reports = MemberReportsTests.reports(this.layouts, this.membership, FormatLevel.FIRST);

	private LayoutRecord record = stable(3, 3);

	private final PlannedChanges changes = new PlannedChanges(
			new ClusterChanges(this.layouts, ClusterChangesTests.conditions(this.layouts, this.membership),
					this.proposals, (_) -> this.met),
			this.proposals, new LayoutOverview(this.layouts, this.reports, () -> this.record, this.reports::facts),
			this.reports, () -> this.record);

	private final JoinRequests requests = requests("*.peers");

	@BeforeEach
	void allAreUp() {
		this.membership.stateChanged("n1", MemberState.UP);
		this.membership.stateChanged("n2", MemberState.UP);
	}

	private JoinRequests requests(String... hosts) {
		return new JoinRequests(this.layouts, this.changes, List.of(hosts).stream().map(HostPattern::new).toList(),
				this.steps::add);
	}

	private String ask(String node, String candidate) {
		return said(this.requests, node, candidate, null);
	}

	private static String said(JoinRequests requests, String node, String candidate, @Nullable String objection) {
		return requests.ask(node, candidate, (_) -> CompletableFuture.completedFuture(objection)).join();
	}

	private void step() {
		while (!this.steps.isEmpty()) {
			this.steps.remove().run();
		}
	}

	/** The layout that the members decide on next. */
	private void adopt(Ring before, Ring after, Endpoint... joined) {
		List<Endpoint> endpoints = new ArrayList<>(this.layouts.configured().endpoints());
		endpoints.addAll(List.of(joined));
		this.layouts
			.adopt(new Layout(this.layouts.current().version() + 1, endpoints, new RingPair(before, after), Set.of()));
	}

	@Test
	void aCandidateIsAddedAndSeesHowFarItIs() {
		assertThat(ask("n3", N3)).isEqualTo("its joining begins");
		assertThat(this.proposed).as("the answer waits for nothing").isEmpty();
		step();
		assertThat(this.proposed).containsExactly(new ChangeRequest.Add(Endpoint.parse(N3), STORAGE));
		assertThat(this.askers).containsExactly("the node itself");
		assertThat(ask("n3", N3)).isEqualTo("its joining begins");
		step();
		assertThat(this.proposed).as("asked twice, proposed once").hasSize(1);
		Ring before = this.layouts.ring();
		Ring after = Ring.of(List.of(Endpoint.parse("n0@a:1").member(), Endpoint.parse("n1@b:2").member(),
				Endpoint.parse("n2@c:3").member(), Endpoint.parse(N3).member()), 3);
		adopt(before, after, Endpoint.parse(N3));
		assertThat(ask("n3", N3)).isEqualTo("it joins by version 2 of the layout");
		assertThat(ask("n4", N4)).isEqualTo("another change of the members is under way");
		adopt(after, after, Endpoint.parse(N3));
		assertThat(ask("n3", N3)).isEqualTo("it is a member");
		step();
		assertThat(this.proposed).hasSize(1);
	}

	@Test
	void candidatesAreAddedOneAfterTheOther() {
		ask("n3", N3);
		assertThat(ask("n4", N4)).isEqualTo("the joining of n3 begins first");
		step();
		assertThat(ask("n4", N4)).isEqualTo("the joining of n3 begins first");
		this.decided.complete(new LayoutVersion(2, 5));
		this.decided = new CompletableFuture<>();
		assertThat(ask("n4", N4)).isEqualTo("its joining begins");
		step();
		assertThat(this.proposed).hasSize(2);
	}

	@Test
	void aJoiningThatFailsBeginsAnewWithTheReason() {
		this.met = CompletableFuture.failedFuture(new IOException("no handshake within 10 ms"));
		ask("n3", N3);
		step();
		assertThat(ask("n3", N3)).startsWith("its joining begins anew: n3@n3.peers:7100 is not reached as a candidate")
			.endsWith("no handshake within 10 ms");
		this.met = CompletableFuture.completedFuture(NEW);
		step();
		assertThat(this.proposed).hasSize(1);
	}

	@Test
	void aMemberThatIsAwayHoldsTheJoiningBack() {
		this.membership.stateChanged("n2", MemberState.DISCONNECTED);
		ask("n3", N3);
		step();
		assertThat(ask("n3", N3)).contains("n2 is disconnected");
		assertThat(this.proposed).isEmpty();
	}

	@Test
	void aMemberThatIsRebuiltHoldsTheJoiningBack() {
		this.membership.rebuildingChanged("n1", true);
		ask("n3", N3);
		step();
		assertThat(ask("n3", N3)).contains("n1 is being rebuilt: wait until it has its data");
		assertThat(this.proposed).isEmpty();
		this.membership.rebuildingChanged("n1", false);
		step();
		assertThat(this.proposed).hasSize(1);
	}

	@Test
	void nodesOfOtherHostsAreRefused() {
		assertThat(ask("n3", "n3@n3.elsewhere:7100"))
			.isEqualTo("an operator has to add it: its host 'n3.elsewhere' is none of quorate.cluster.join-hosts,"
					+ " [*.peers]");
		assertThat(ask("n4", N3)).isEqualTo("'n4' asks for another node, n3@n3.peers:7100");
		assertThat(ask("n3", "n3")).contains("must be id@host:port");
		assertThat(ask("n3", N3 + "/\ud800")).as("half of a character").contains("must be id@host:port");
		CompletableFuture<@Nullable String> objection = new CompletableFuture<>();
		CompletableFuture<String> answer = this.requests.ask("n3", N3, (host) -> {
			assertThat(host).isEqualTo("n3.peers");
			return objection;
		});
		assertThat(answer).as("its host is looked up").isNotDone();
		objection.complete("the certificate is not that of n3.peers");
		assertThat(answer).isCompletedWithValue("the certificate is not that of n3.peers");
		assertThat(said(requests(), "n3", N3, null)).contains("quorate.cluster.join-hosts is not set");
		assertThat(this.steps).isEmpty();
	}

}
