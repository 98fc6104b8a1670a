package io.quorate.internode.wiring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.RejectedExecutionException;

import io.quorate.consensus.Answer;
import io.quorate.consensus.Decision;
import io.quorate.consensus.Decisions;
import io.quorate.consensus.Decree;
import io.quorate.consensus.Request;
import io.quorate.entry.Key;
import io.quorate.internode.InternodeProperties;
import io.quorate.internode.ProgramExchange;
import io.quorate.internode.context.PeerListener;
import io.quorate.internode.peer.DrivenNodes;
import io.quorate.internode.peer.PeerReplica;
import io.quorate.internode.wire.LocalNode;
import io.quorate.internode.wire.Wire;
import io.quorate.membership.agreement.LayoutPeers;
import io.quorate.membership.exchange.LayoutExchange;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutReport;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.membership.members.MemberState;
import io.quorate.membership.reports.Program;
import io.quorate.meter.TraceContext;
import io.quorate.replica.Failure;
import io.quorate.replica.ReadReply;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import io.quorate.replica.comparison.ComparisonReply;
import io.quorate.replica.comparison.Round;
import io.quorate.storage.FormatLevel;
import io.quorate.storage.PageLimit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.quorate.internode.wiring.InternodeFixture.CLIENT;
import static io.quorate.internode.wiring.InternodeFixture.PROPERTIES;
import static io.quorate.internode.wiring.InternodeFixture.SERVER;
import static io.quorate.internode.wiring.InternodeFixture.key;
import static io.quorate.internode.wiring.InternodeFixture.live;
import static io.quorate.internode.wiring.InternodeFixture.reason;
import static io.quorate.internode.wiring.InternodeFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Messages about the layout between two nodes. */
@ExtendWith(OutputCaptureExtension.class)
class LayoutMessagesTests {

	private static final Duration LIMIT = Duration.ofMinutes(1);

	private static final Duration KEEP_ALIVE = Duration.ofMillis(50);

	private static final InternodeProperties OFTEN = new InternodeProperties("127.0.0.1", null, null,
			PROPERTIES.maxRequests(), PROPERTIES.maxBytes(), KEEP_ALIVE, PROPERTIES.suspectAfter(),
			PROPERTIES.disconnectAfter(), PROPERTIES.connectTimeout(), PROPERTIES.maxBackoff(), Wire.VERSION);

	private static final Duration LONGER_THAN_A_PAUSE = PROPERTIES.maxBackoff().multipliedBy(2);

	private static final Request GET = new Request.Get(7);

	private static final Answer LEARNED = new Answer.Learned(7);

	private final DrivenNodes nodes = new DrivenNodes();

	private final Exchange server = new Exchange(new LayoutReport(9, 1));

	private final Exchange client = new Exchange(null);

	private @Nullable PeerReplica stranger;

	private final Queue<LayoutPeers.Outcome> answers = new ConcurrentLinkedQueue<>();

	@AfterEach
	void close() {
		this.nodes.close();
	}

	private PeerReplica connected() {
		this.nodes.serverLayouts = this.server;
		this.nodes.clientLayouts = this.client;
		this.nodes.serve(OFTEN);
		PeerReplica peer = this.nodes.peer(CLIENT, OFTEN, new PeerListener() {
		});
		this.nodes.settle();
		assertThat(peer.isReady()).isTrue();
		return peer;
	}

	@Test
	void aPeerAnswersOnceItsDiskHasTheState() {
		PeerReplica peer = connected();
		peer.ask(GET, LIMIT, this.answers::add);
		this.nodes.settle();
		assertThat(this.server.asked).contains(GET);
		assertThat(this.nodes.outcome(peer.read(key(1), soon()))).as("nothing waits behind it")
			.isEqualTo(new ReadReply.Absent());
		assertThat(this.answers).isEmpty();
		this.server.answer.complete(Optional.of(LEARNED));
		this.nodes.settle();
		assertThat(this.answers).contains(new LayoutPeers.Outcome.Answered(LEARNED));
	}

	@Test
	void allRecentLayoutsOfALargeClusterFitIntoOneAnswer() {
		Answer later = new Answer.Later(Decisions.of(new Decision(8, Decree.copyOf(new byte[Decree.MAX_BYTES]))));
		this.server.answer.complete(Optional.of(later));
		connected().ask(GET, LIMIT, this.answers::add);
		this.nodes.settle();
		assertThat(this.answers).contains(new LayoutPeers.Outcome.Answered(later));
	}

	@Test
	void aPeerThatGivesNoVoteOrCannotSaysWhy() {
		PeerReplica peer = connected();
		for (CompletableFuture<Optional<Answer>> none : List.of(
				CompletableFuture.completedFuture(Optional.<Answer>empty()),
				CompletableFuture.<Optional<Answer>>failedFuture(new IllegalStateException("no space")),
				CompletableFuture.<Optional<Answer>>failedFuture(new RejectedExecutionException("64 wait")))) {
			this.server.answer = none;
			peer.ask(GET, LIMIT, this.answers::add);
			this.nodes.settle();
		}
		assertThat(peer.state()).isEqualTo(MemberState.UP);
		assertThat(this.answers).containsExactly(new LayoutPeers.Outcome.Refused("this node gives no vote for that"),
				new LayoutPeers.Outcome.Refused("no space"), new LayoutPeers.Outcome.Refused("64 wait"));
	}

	@Test
	void aPeerSaysForHowLongItHasNotHeardAMember() {
		PeerReplica peer = connected();
		this.server.silences.put("n1", Duration.ofSeconds(42));
		this.server.silences.put("n2", Duration.ZERO);
		assertThat(this.nodes.outcome(peer.silenceOf("n1", LIMIT))).contains(Duration.ofSeconds(42));
		assertThat(this.nodes.outcome(peer.silenceOf("n2", LIMIT))).contains(Duration.ZERO);
		assertThat(this.nodes.outcome(peer.silenceOf("n3", LIMIT))).as("a node that it does not know").isEmpty();
		assertThat(peer.state()).isEqualTo(MemberState.UP);
	}

	@Test
	void aPeerThatIsNotReachedGivesNoAnswer() {
		PeerReplica peer = connected();
		this.server.silences.put("n1", Duration.ofSeconds(42));
		peer.close();
		assertThat(this.nodes.outcome(peer.silenceOf("n1", LIMIT))).as("there is no connection").isEmpty();
	}

	/*
	 * A start waits for the layouts that peers have shown, once it has met each of them.
	 */
	@Test
	void theLayoutThatAPeerShowsIsNotedBeforeThePeerIsMet() {
		this.nodes.serverLayouts = this.server;
		this.nodes.clientLayouts = this.client;
		List<Integer> noted = new ArrayList<>();
		this.nodes.serve(OFTEN);
		var _ = this.nodes.peer(CLIENT, OFTEN, new PeerListener() {

			@Override
			public void greeted(String node, UUID storageId) {
				noted.add(LayoutMessagesTests.this.client.heard.size());
			}

		});
		this.nodes.settle();
		assertThat(noted.getFirst()).as("layouts that were noted before the first greeting").isPositive();
	}

	@Test
	void handshakesAndKeepAlivesCarryTheLayout() {
		connected();
		assertThat(this.client.heard).as("by the handshakes").hasSize(InternodeFixture.CONNECTIONS);
		this.nodes.pass(KEEP_ALIVE);
		assertThat(this.client.heard).as("and by keep-alives, but on the lane for large values")
			.hasSize(2 * InternodeFixture.CONNECTIONS - 1)
			.containsOnly("server " + this.server.own);
		assertThat(this.server.heard).as("it takes no part").isEmpty();
	}

	@Test
	void theNodeThatConnectsReportsItsLayout() {
		Program finalized = new Program("9.9", FormatLevel.FIRST, FormatLevel.FIRST);
		this.nodes.serverPrograms = new Finalized(finalized);
		this.nodes.clientPrograms = new Finalized(finalized);
		this.client.own = new LayoutReport(8, 2);
		connected();
		assertThat(this.server.heard).contains("client " + this.client.own);
	}

	@Test
	void aRequestCarriesTheLayoutUnderWhichItWasPlanned() {
		PeerReplica peer = connected();
		assertThat(this.nodes.outcome(peer.apply(key(1), live(10), soon()))).isInstanceOf(WriteReply.Applied.class);
		assertThat(this.server.planned).as("a node that takes no part knows the first one")
			.containsExactly("1 " + key(1));
		this.client.own = new LayoutReport(8, 2);
		this.nodes.outcome(peer.read(key(1), soon()));
		assertThat(this.server.planned).as("by default that of the sender").contains("8 null");
		Replica planned = peer.planned(7).within(new TraceContext(1, 2, 3));
		this.nodes.outcome(planned.apply(key(2), live(10), soon()));
		this.nodes.outcome(planned.page(key(1), null, new PageLimit(1, 1, 1), soon()));
		assertThat(this.server.planned).contains("7 " + key(2), "7 null");
	}

	@Test
	void aRefusalBecauseOfTheLayoutReachesTheSender() {
		PeerReplica peer = connected();
		Failure refusal = new Failure(Failure.Reason.STALE_LAYOUT, "version 9 is adopted");
		this.server.refusal = refusal;
		assertThat(this.nodes.outcome(peer.planned(7).apply(key(1), live(10), soon())))
			.isEqualTo(new WriteReply.Failed(refusal));
		assertThat(this.nodes.outcome(peer.read(key(1), soon()))).isEqualTo(new ReadReply.Failed(refusal));
		assertThat(this.nodes.outcome(peer.comparison().complete(new Round(1, 2), soon())))
			.isEqualTo(new ComparisonReply.Failed<>(refusal));
		assertThat(this.client.differing).containsExactly("server", "server", "server");
		peer.ask(GET, LIMIT, this.answers::add);
		this.nodes.settle();
		assertThat(this.server.asked).contains(GET);
	}

	@Test
	void aNodeThatIsNoMemberIsShownTheLayoutsThatItLacks() {
		Decisions later = Decisions.of(new Decision(9, Decree.copyOf(new byte[Decisions.MESSAGE_BYTES])));
		this.server.later = later;
		this.client.own = new LayoutReport(8, 2);
		refused();
		assertThat(this.client.excluded).contains("server " + later);
		assertThat(this.server.heard).as("it is refused").isEmpty();
		assertThat(this.nodes.replica.calls()).isZero();
	}

	/* A node of the configuration would take them, and leave. */
	@Test
	void aMemberThatWasGivenUpIsRefusedAndShownNoLayout() {
		this.server.own = new LayoutReport(1_000_000_009, 1);
		this.server.later = Decisions.of(new Decision(1_000_000_009, Decree.copyOf(new byte[1])));
		this.client.own = new LayoutReport(8, 2);
		Finalized program = refused();
		assertThat(program.refusals).contains("server: the history of the layout differs; the peer's log says more");
		assertThat(this.client.excluded).isEmpty();
	}

	/* It may know more of the cluster than this node. */
	@Test
	void theLayoutOfANodeThatIsRefusedIsNoted() {
		this.client.own = new LayoutReport(11, 2);
		refused();
		assertThat(this.server.strangers).contains("stranger 11");
	}

	@Test
	void aStrangerThatTakesNoPartIsShownNoLayout(CapturedOutput output) {
		this.server.later = Decisions.of(new Decision(9, Decree.copyOf(new byte[1])));
		Finalized program = refused();
		assertThat(program.refusals)
			.contains("server: the id of the node that connects differs; the peer's log says more");
		assertThat(this.client.excluded).isEmpty();
		assertThat(this.server.strangers).isEmpty();
		assertThat(refusalsIn(output)).isNotEmpty().allMatch((line) -> line.contains("ERROR"));
	}

	@Test
	void aReplyToAHandshakeIsNoLargerThanTheLayouts(CapturedOutput output) {
		this.server.later = Decisions.of(new Decision(9, Decree.copyOf(new byte[Wire.HANDSHAKE_REPLY_BYTES])));
		this.client.own = new LayoutReport(8, 2);
		refused();
		assertThat(output).contains("to a request for at most %d".formatted(Wire.HANDSHAKE_REPLY_BYTES));
		assertThat(this.client.excluded).isEmpty();
	}

	/* It would take the first layout for the last one, and itself for a member. */
	@Test
	void aMemberThatHasLeftAndKnowsNoLayoutIsShownTheLastOnes(CapturedOutput output) {
		Decisions last = Decisions.of(new Decision(9, Decree.copyOf(new byte[1])));
		this.server.first = last;
		refused();
		assertThat(this.client.excluded).contains("server " + last);
		assertThat(refusalsIn(output)).isNotEmpty().allMatch((line) -> line.contains("INFO"));
	}

	@Test
	void aNodeThatIsNoMemberIsRefusedOnceAndWaits() {
		this.client.isMember = false;
		List<String> refusals = refused().refusals;
		assertThat(refusals).as("one of each connection").hasSize(InternodeFixture.CONNECTIONS);
		this.nodes.pass(LONGER_THAN_A_PAUSE);
		assertThat(refusals).as("it waits").hasSize(InternodeFixture.CONNECTIONS);
		Objects.requireNonNull(this.stranger).connect();
		this.nodes.settle();
		assertThat(refusals).hasSize(2 * InternodeFixture.CONNECTIONS);
	}

	@Test
	void aMemberThatIsRefusedTriesAgain() {
		List<String> refusals = refused().refusals;
		assertThat(refusals).hasSize(InternodeFixture.CONNECTIONS);
		this.nodes.pass(LONGER_THAN_A_PAUSE);
		this.nodes.pass(LONGER_THAN_A_PAUSE);
		assertThat(refusals).hasSizeGreaterThanOrEqualTo(3 * InternodeFixture.CONNECTIONS);
	}

	private static List<String> refusalsIn(CapturedOutput output) {
		return output.getAll()
			.lines()
			.filter((line) -> line.contains("A connection of node 'stranger' is refused"))
			.toList();
	}

	private Finalized refused() {
		Finalized program = new Finalized(new Program("9.9", FormatLevel.FIRST, FormatLevel.FIRST));
		this.nodes.serverPrograms = program;
		this.nodes.clientPrograms = program;
		this.nodes.serverLayouts = this.server;
		this.nodes.clientLayouts = this.client;
		LocalNode stranger = new LocalNode("stranger", CLIENT.cluster(), CLIENT.epoch(), CLIENT.storageId());
		this.nodes.serve(OFTEN);
		this.stranger = this.nodes.peer(stranger, OFTEN, new PeerListener() {
		});
		this.nodes.settle();
		return program;
	}

	/* The same over sockets: of a node with both ends. */
	@Test
	void connectionsOfAPeerThatHasLeftAreClosed() {
		Set<String> others = new CopyOnWriteArraySet<>(Set.of("server", "client"));
		try (InternodeFixture sockets = new InternodeFixture()) {
			sockets.others = () -> others;
			sockets.clientLayouts = this.client;
			Finalized program = new Finalized(Program.UNKNOWN);
			sockets.clientPrograms = program;
			Internode node = sockets.internode(PROPERTIES);
			PeerReplica peer = sockets.connected(SERVER, "client", sockets.serve(node).port());
			peer.ask(GET, LIMIT, this.answers::add);
			this.client.answer.complete(Optional.of(LEARNED));
			await().until(() -> !this.answers.isEmpty());
			assertThat(this.answers).containsExactly(new LayoutPeers.Outcome.Answered(LEARNED));
			node.forget("server", Duration.ofMillis(1));
			assertThat(peer.read(key(1), soon()).block(LIMIT)).as("it is a peer").isEqualTo(new ReadReply.Absent());
			others.remove("server");
			node.forget("server", Duration.ofMillis(1));
			await().until(() -> peer.state() == MemberState.DISCONNECTED && !program.refusals.isEmpty());
			assertThat(reason(peer.read(key(1), soon()).block(LIMIT))).isEqualTo(Failure.Reason.DISCONNECTED);
		}
	}

	/** The program that a node reports. */
	private record Finalized(Program own, List<String> refusals) implements ProgramExchange {

		private Finalized(Program own) {
			this(own, new CopyOnWriteArrayList<>());
		}

		@Override
		public void heard(String peer, Program theirs) {
		}

		@Override
		public void refused(String peer, @Nullable String why) {
			this.refusals.add(peer + ": " + why);
		}

	}

	/** The messages that one node receives, and its answer to all of them. */
	private static final class Exchange implements LayoutExchange {

		private volatile @Nullable LayoutReport own;

		private volatile CompletableFuture<Optional<Answer>> answer = new CompletableFuture<>();

		private final List<Request> asked = new CopyOnWriteArrayList<>();

		private final List<String> heard = new CopyOnWriteArrayList<>();

		private final List<String> planned = new CopyOnWriteArrayList<>();

		private final List<String> differing = new CopyOnWriteArrayList<>();

		private final List<String> excluded = new CopyOnWriteArrayList<>();

		private final List<String> strangers = new CopyOnWriteArrayList<>();

		private final Map<String, Duration> silences = new ConcurrentHashMap<>();

		private volatile @Nullable Decisions later;

		private volatile @Nullable Decisions first;

		private volatile @Nullable Failure refusal;

		private volatile boolean isMember = true;

		private Exchange(@Nullable LayoutReport own) {
			this.own = own;
		}

		@Override
		public @Nullable LayoutReport own() {
			return this.own;
		}

		@Override
		public void heard(String peer, LayoutReport theirs) {
			this.heard.add(peer + " " + theirs);
		}

		@Override
		public boolean isMember() {
			return this.isMember;
		}

		@Override
		public long version() {
			LayoutReport adopted = this.own;
			return (adopted != null) ? adopted.adopted().version() : Layout.FIRST;
		}

		@Override
		public void refused(String stranger, LayoutVersion theirs) {
			this.strangers.add(stranger + " " + theirs.version());
		}

		@Override
		public void differs(String peer) {
			this.differing.add(peer);
		}

		@Override
		public @Nullable Decisions later(LayoutVersion theirs) {
			Decisions all = this.later;
			return (all != null && all.latest().version() > theirs.version()) ? all : null;
		}

		@Override
		public @Nullable Decisions laterThanFirst(String node) {
			return this.first;
		}

		@Override
		public void excludedBy(String peer, Decisions decisions) {
			this.excluded.add(peer + " " + decisions);
		}

		@Override
		public Optional<Duration> silenceOf(String member) {
			return Optional.ofNullable(this.silences.get(member));
		}

		@Override
		public @Nullable Failure refuses(long layout, @Nullable Key written) {
			this.planned.add(layout + " " + written);
			return this.refusal;
		}

		@Override
		public CompletableFuture<Optional<Answer>> answer(Request request) {
			this.asked.add(request);
			return this.answer;
		}

	}

}
