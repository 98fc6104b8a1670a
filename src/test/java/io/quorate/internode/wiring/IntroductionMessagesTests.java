package io.quorate.internode.wiring;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.consensus.AcceptorState;
import io.quorate.consensus.Ledger;
import io.quorate.internode.IdleExchanges;
import io.quorate.internode.context.Exchanges;
import io.quorate.internode.context.Observation;
import io.quorate.internode.context.PeerContext;
import io.quorate.internode.context.PeerListener;
import io.quorate.internode.context.ReplicaSpans;
import io.quorate.internode.context.TestClock;
import io.quorate.internode.context.ThisNode;
import io.quorate.internode.context.Transport;
import io.quorate.internode.peer.PeerReplica;
import io.quorate.internode.peer.Peers;
import io.quorate.internode.server.InternodeServer;
import io.quorate.internode.tls.Encryption;
import io.quorate.internode.wire.LocalNode;
import io.quorate.internode.wire.Request;
import io.quorate.internode.wire.Wire;
import io.quorate.membership.agreement.LayoutAgreement;
import io.quorate.membership.change.CandidateContact.Candidate;
import io.quorate.membership.change.IntroducedContact;
import io.quorate.membership.change.Introductions;
import io.quorate.membership.exchange.DrivenLayouts;
import io.quorate.membership.exchange.LayoutThread;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.ReplacedMembers;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.Membership;
import io.quorate.membership.reports.MemberReports;
import io.quorate.membership.reports.Program;
import io.quorate.membership.reports.Upgrade;
import io.quorate.ring.Member;
import io.quorate.storage.FormatLevel;
import io.quorate.storage.RecordedIdentity;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static io.quorate.internode.wiring.InternodeFixture.PATIENCE;
import static io.quorate.internode.wiring.InternodeFixture.PATIENT;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Members n4, n5 and n6 of a cluster whose first members are gone, and a candidate, over
 * real sockets. Of the members the candidate knows none, or n5.
 */
class IntroductionMessagesTests {

	private final InternodeFixture sockets = new InternodeFixture();

	private final List<Node> open = new ArrayList<>();

	private final Endpoint four = free("n4");

	private final Endpoint five = free("n5");

	private final Endpoint nine = free("n9");

	private final AcceptorState decided = ReplacedMembers.decided(7,
			Map.of(this.four, storageId("n4"), this.five, storageId("n5"), endpoint("n6", 6), storageId("n6")));

	private final Node fourth = new Node(ReplacedMembers.configured("n4", this.four.toString()), this.decided);

	private final Node fifth = new Node(ReplacedMembers.configured("n5", this.five.toString()), this.decided);

	private static Endpoint endpoint(String id, int port) {
		return new Endpoint(Member.of(id), "127.0.0.1", port);
	}

	private static Endpoint free(String id) {
		try (ServerSocket socket = new ServerSocket(0)) {
			return endpoint(id, socket.getLocalPort());
		}
		catch (IOException failure) {
			throw new AssertionError(failure);
		}
	}

	private static UUID storageId(String id) {
		return new UUID(7, id.charAt(1));
	}

	@BeforeEach
	void start() {
		this.fourth.serve(this.four);
		this.fifth.serve(this.five);
		InternodeFixture.awaitReady(this.fourth.peer("n5"));
	}

	@AfterEach
	void stop() {
		this.open.forEach(Node::stop);
		this.sockets.close();
	}

	private Node candidate(String... seeds) {
		Layouts layouts = ReplacedMembers.configured("n9", this.nine.toString(), seeds);
		Node candidate = new Node(layouts, LayoutAgreement.first(layouts));
		candidate.serve(this.nine);
		return candidate;
	}

	private void introductions() {
		this.fifth.internode.takeIntroductions(new Introductions(this.fifth.layouts, this.fifth.internode::meet));
	}

	private CompletableFuture<Candidate> metByFourth() {
		return new IntroducedContact(this.fourth.internode::meet, this.fourth.layouts,
				(member, node, limit) -> this.fourth.peer(member).introduce(node, limit))
			.meet(this.nine);
	}

	/*
	 * A candidate lets in the peers of a layout that it adopts a moment before it has it.
	 */
	private static void awaitShown(Node candidate) {
		Awaitility.await("n5 has shown it the layout").until(() -> candidate.layouts.current().version() == 7);
	}

	@Test
	void aMemberThatACandidateDoesNotKnowIsIntroduced() {
		introductions();
		Node candidate = candidate(this.five.toString());
		assertThat(metByFourth()).succeedsWithin(PATIENCE).extracting(Candidate::storageId).isEqualTo(storageId("n9"));
		awaitShown(candidate);
		assertThat(candidate.layouts.isMember()).isFalse();
		assertThat(candidate.layouts.contacts()).extracting(Endpoint::id).containsExactly("n4", "n5", "n6");
		assertThat(List.of(this.fourth, this.fifth)).as("members take nothing in")
			.allSatisfy((node) -> assertThat(node.layouts.current().version()).isEqualTo(7));
	}

	@Test
	void aCandidateThatKnowsNoMemberIsMetByNone() {
		introductions();
		Node candidate = candidate();
		assertThat(metByFourth()).failsWithin(PATIENCE)
			.withThrowableThat()
			.withMessageContaining("the id of the node that connects differs")
			.withMessageContaining("by n5: the id of the node that connects differs")
			.withMessageContaining("have its quorate.cluster.seeds name one");
		assertThat(candidate.layouts.current().version()).isEqualTo(1);
	}

	@Test
	void aSeedThatTheLayoutDoesNotNameIsNoMemberForThat() {
		introductions();
		Node candidate = candidate(this.five.toString(), "n3@127.0.0.1:4");
		assertThat(metByFourth()).succeedsWithin(PATIENCE);
		awaitShown(candidate);
		assertThat(candidate.layouts.current().members()).containsExactly("n4", "n5", "n6");
		assertThat(candidate.layouts.isSeed("n3")).as("it may be one later").isTrue();
	}

	@Test
	void aMemberThatStartsMeetsNoCandidates() {
		assertThat(this.fourth.peer("n5").introduce(this.nine, PATIENCE)).succeedsWithin(PATIENCE)
			.isEqualTo("it starts, and meets no candidates yet");
	}

	@Test
	void aNodeThatIsOnlyInvitedHasNoOtherOneMet() throws Exception {
		introductions();
		Node candidate = candidate(this.five.toString());
		assertThat(this.fifth.internode.meet(this.nine)).succeedsWithin(PATIENCE);
		InternodeFixture.awaitReady(candidate.peer("n5"));
		try (ServerSocket inside = new ServerSocket(0)) {
			assertThat(candidate.peer("n5").introduce(endpoint("n8", inside.getLocalPort()), PATIENCE))
				.succeedsWithin(PATIENCE)
				.isEqualTo("'n9' is no member");
			try (Socket own = new Socket(InetAddress.getLoopbackAddress(), inside.getLocalPort());
					Socket first = inside.accept()) {
				assertThat(first.getPort()).isEqualTo(own.getLocalPort());
			}
		}
	}

	@Test
	void aRequestBeforeTheHandshakeHasNoneMet() throws Exception {
		introductions();
		try (RawPeer raw = new RawPeer(this.five.port())) {
			raw.setup().request(RawPeer.bytes(new Request.Introduce("n8@127.0.0.1:1")));
			assertThat(raw.isClosedWithin(PATIENCE)).isTrue();
		}
	}

	/** A node, whose peers are those of its layout. */
	private final class Node {

		private final Layouts layouts;

		private final LayoutThread thread;

		private final Internode internode;

		private final Peers peers;

		private @Nullable InternodeServer server;

		private Node(Layouts layouts, AcceptorState known) {
			this.layouts = layouts;
			String self = layouts.self();
			boolean isMember = known.decisions().latest().version() > 1;
			RecordedIdentity directory = new RecordedIdentity(storageId(self),
					isMember ? FormatLevel.FIRST : FormatLevel.UNDECIDED);
			Membership membership = new Membership(layouts);
			Upgrade upgrade = new Upgrade(layouts, membership, directory,
					new Program("2", directory.formatLevel(), FormatLevel.FIRST), Runnable::run);
			MemberReports reports = new MemberReports(layouts, membership, upgrade, directory);
			this.thread = DrivenLayouts.idle(layouts,
					new LayoutAgreement(layouts, directory.storageId(), new MemoryLedger(known), reports, (_) -> {
					}), reports);
			LocalNode local = new LocalNode(self, "test", layouts.configured().epoch(), directory.storageId());
			this.internode = new Internode(new PeerContext(
					new ThisNode(local,
							layouts.derive((layout) -> layout.members()
								.stream()
								.filter((member) -> !member.equals(self))
								.collect(Collectors.toUnmodifiableSet()))),
					new TestClock(1000, 5_000), PATIENT,
					new Transport(Encryption.NONE, Wire.maxMessageBytes(Wire.PAGE_BYTES)),
					new Exchanges(IdleExchanges.STATUSES, IdleExchanges.PROGRAMS, this.thread),
					new Observation(ReplicaSpans.NONE, new SimpleMeterRegistry())));
			this.peers = new Peers(
					(peer) -> this.internode.peer(peer.id(), peer.host(), peer.port(), new PeerListener() {
					}));
			layouts.follow(this.peers);
			IntroductionMessagesTests.this.open.add(this);
		}

		private PeerReplica peer(String id) {
			return Objects.requireNonNull(this.peers.of(id), id);
		}

		private void serve(Endpoint here) {
			InternodeServer serving = this.internode.server(IntroductionMessagesTests.this.sockets.replica,
					IntroductionMessagesTests.this.sockets.comparisons, here.host(), here.port());
			this.server = serving;
			serving.start().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
			this.thread.ask(this.peers);
			this.thread.start();
			if (this.layouts.isMember()) {
				this.peers.connect();
			}
		}

		private void stop() {
			this.thread.stop();
			InternodeServer serving = this.server;
			if (serving != null) {
				serving.close();
			}
			this.peers.close();
		}

	}

	/** A ledger in memory. */
	private static final class MemoryLedger implements Ledger {

		private AcceptorState state;

		private MemoryLedger(AcceptorState state) {
			this.state = state;
		}

		@Override
		public synchronized AcceptorState recovered() {
			return this.state;
		}

		@Override
		public synchronized void keep(AcceptorState next) {
			this.state = next;
		}

	}

}
