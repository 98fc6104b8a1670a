package io.quorate.internode.wiring;

import java.time.Duration;
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
import io.quorate.internode.LayoutExchange;
import io.quorate.internode.ProgramExchange;
import io.quorate.internode.context.PeerListener;
import io.quorate.internode.peer.PeerReplica;
import io.quorate.internode.server.InternodeServer;
import io.quorate.internode.wire.LocalNode;
import io.quorate.internode.wire.Wire;
import io.quorate.membership.Layout;
import io.quorate.membership.LayoutPeers;
import io.quorate.membership.LayoutReport;
import io.quorate.membership.LayoutVersion;
import io.quorate.membership.MemberState;
import io.quorate.membership.Program;
import io.quorate.meter.TraceContext;
import io.quorate.replica.Failure;
import io.quorate.replica.ReadReply;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import io.quorate.replica.comparison.ComparisonReply;
import io.quorate.replica.comparison.Round;
import io.quorate.storage.FormatLevel;
import io.quorate.storage.PageLimit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.quorate.internode.wiring.InternodeFixture.CLIENT;
import static io.quorate.internode.wiring.InternodeFixture.PATIENCE;
import static io.quorate.internode.wiring.InternodeFixture.PROPERTIES;
import static io.quorate.internode.wiring.InternodeFixture.key;
import static io.quorate.internode.wiring.InternodeFixture.live;
import static io.quorate.internode.wiring.InternodeFixture.SERVER;
import static io.quorate.internode.wiring.InternodeFixture.reason;
import static io.quorate.internode.wiring.InternodeFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

/** Messages about the layout between two nodes, over real sockets. */
@ExtendWith(OutputCaptureExtension.class)
class LayoutMessagesTests {

	private static final Duration LIMIT = Duration.ofSeconds(5);

	private static final Request GET = new Request.Get(7);

	private static final Answer LEARNED = new Answer.Learned(7);

	private final InternodeFixture nodes = new InternodeFixture();

	private final Exchange server = new Exchange(new LayoutReport(9, 1));

	private final Exchange client = new Exchange(null);

	private @Nullable PeerReplica stranger;

	private final Queue<LayoutPeers.Outcome> answers = new ConcurrentLinkedQueue<>();

	@AfterEach
	void close() {
		this.nodes.close();
	}

	private PeerReplica connected(int ofServer, int ofClient) {
		this.nodes.serverLayouts = this.server;
		this.nodes.clientLayouts = this.client;
		return this.nodes.connected(this.nodes.serve(with(ofServer)).port(), with(ofClient));
	}

	private static InternodeProperties with(int newestVersion) {
		return new InternodeProperties("127.0.0.1", null, null, PROPERTIES.maxRequests(), PROPERTIES.maxBytes(),
				Duration.ofMillis(50), PROPERTIES.suspectAfter(), PROPERTIES.disconnectAfter(),
				PROPERTIES.connectTimeout(), PROPERTIES.maxBackoff(), newestVersion);
	}

	@Test
	void aPeerAnswersOnceItsDiskHasTheState() {
		PeerReplica peer = connected(8, 8);
		peer.ask(GET, LIMIT, this.answers::add);
		Awaitility.await().atMost(PATIENCE).until(() -> this.server.asked.contains(GET));
		assertThat(peer.read(key(1), soon()).block(PATIENCE)).as("nothing waits behind it")
			.isEqualTo(new ReadReply.Absent());
		assertThat(this.answers).isEmpty();
		this.server.answer.complete(Optional.of(LEARNED));
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> this.answers.contains(new LayoutPeers.Outcome.Answered(LEARNED)));
	}

	@Test
	void allRecentLayoutsOfALargeClusterFitIntoOneAnswer() {
		Answer later = new Answer.Later(Decisions.of(new Decision(8, Decree.copyOf(new byte[Decree.MAX_BYTES]))));
		this.server.answer.complete(Optional.of(later));
		connected(8, 8).ask(GET, LIMIT, this.answers::add);
		Awaitility.await().atMost(PATIENCE).until(() -> this.answers.contains(new LayoutPeers.Outcome.Answered(later)));
	}

	@Test
	void aPeerThatGivesNoVoteOrCannotSaysWhy() {
		PeerReplica peer = connected(8, 8);
		for (CompletableFuture<Optional<Answer>> none : List.of(
				CompletableFuture.completedFuture(Optional.<Answer>empty()),
				CompletableFuture.<Optional<Answer>>failedFuture(new IllegalStateException("no space")),
				CompletableFuture.<Optional<Answer>>failedFuture(new RejectedExecutionException("64 wait")))) {
			this.server.answer = none;
			int before = this.answers.size();
			peer.ask(GET, LIMIT, this.answers::add);
			Awaitility.await().atMost(PATIENCE).until(() -> this.answers.size() > before);
		}
		assertThat(peer.state()).isEqualTo(MemberState.UP);
		assertThat(this.answers).containsExactly(new LayoutPeers.Outcome.Refused("this node gives no vote for that"),
				new LayoutPeers.Outcome.Refused("no space"), new LayoutPeers.Outcome.Refused("64 wait"));
	}

	@Test
	void aPeerSaysForHowLongItHasNotHeardAMember() {
		PeerReplica peer = connected(8, 8);
		this.server.silences.put("n1", Duration.ofSeconds(42));
		this.server.silences.put("n2", Duration.ZERO);
		assertThat(peer.silenceOf("n1", LIMIT).join()).contains(Duration.ofSeconds(42));
		assertThat(peer.silenceOf("n2", LIMIT).join()).contains(Duration.ZERO);
		assertThat(peer.silenceOf("n3", LIMIT).join()).as("a node that it does not know").isEmpty();
		assertThat(peer.state()).isEqualTo(MemberState.UP);
	}

	@Test
	void aPeerThatCannotBeAskedForASilenceGivesNoAnswer() {
		PeerReplica peer = connected(7, 8);
		this.server.silences.put("n1", Duration.ofSeconds(42));
		assertThat(peer.silenceOf("n1", LIMIT).join()).as("it would not understand").isEmpty();
		assertThat(peer.apply(key(1), live(10), soon()).block(PATIENCE)).isEqualTo(WriteReply.Applied.COMPLETE);
		peer.close();
		assertThat(peer.silenceOf("n1", LIMIT).join()).as("there is no connection").isEmpty();
	}

	@Test
	void aPeerOfTheProgramBeforeIsNotAsked() {
		PeerReplica peer = connected(7, 8);
		peer.ask(GET, LIMIT, this.answers::add);
		peer.apply(key(1), live(10), soon()).block(PATIENCE);
		assertThat(this.server.asked).isEmpty();
		assertThat(this.answers).containsExactly(new LayoutPeers.Outcome.Refused("it runs an older program"));
		assertThat(peer.state()).isEqualTo(MemberState.UP);
	}

	/*
	 * A start waits for the layouts that peers have shown, once it has met each of them.
	 */
	@Test
	void theLayoutThatAPeerShowsIsNotedBeforeThePeerIsMet() {
		this.nodes.serverLayouts = this.server;
		this.nodes.clientLayouts = this.client;
		List<Integer> noted = new CopyOnWriteArrayList<>();
		var _ = this.nodes.peer(CLIENT, "server", "127.0.0.1", this.nodes.serve(with(8)).port(), with(8),
				new PeerListener() {

					@Override
					public void greeted(String node, UUID storageId) {
						noted.add(LayoutMessagesTests.this.client.heard.size());
					}

				});
		Awaitility.await().atMost(PATIENCE).until(() -> !noted.isEmpty());
		assertThat(noted.getFirst()).as("layouts that were noted before the first greeting").isPositive();
	}

	@Test
	void handshakesAndKeepAlivesCarryTheLayout() {
		connected(8, 8);
		Awaitility.await()
			.atMost(PATIENCE)
			.untilAsserted(() -> assertThat(this.client.heard).as("by the handshakes, and keep-alives later")
				.hasSizeGreaterThan(2 * InternodeFixture.CONNECTIONS));
		assertThat(this.client.heard).containsOnly("server " + this.server.own);
		assertThat(this.server.heard).as("it takes no part").isEmpty();
	}

	@Test
	void theNodeThatConnectsReportsItsLayoutWhenItsUpgradeIsFinalized() {
		Program finalized = new Program("9.9", FormatLevel.LAYOUTS, FormatLevel.LAYOUTS);
		this.nodes.serverPrograms = new Finalized(finalized);
		this.nodes.clientPrograms = new Finalized(finalized);
		this.client.own = new LayoutReport(8, 2);
		connected(8, 8);
		Awaitility.await()
			.atMost(PATIENCE)
			.untilAsserted(() -> assertThat(this.server.heard).contains("client " + this.client.own));
	}

	@Test
	void aRequestCarriesTheLayoutUnderWhichItWasPlanned() {
		PeerReplica peer = connected(8, 8);
		assertThat(peer.apply(key(1), live(10), soon()).block(PATIENCE)).isInstanceOf(WriteReply.Applied.class);
		assertThat(this.server.planned).as("a node that takes no part knows the first one")
			.containsExactly("1 " + key(1));
		this.client.own = new LayoutReport(8, 2);
		peer.read(key(1), soon()).block(PATIENCE);
		assertThat(this.server.planned).as("by default that of the sender").contains("8 null");
		Replica planned = peer.planned(7).within(new TraceContext(1, 2, 3));
		planned.apply(key(2), live(10), soon()).block(PATIENCE);
		planned.page(key(1), null, new PageLimit(1, 1, 1), soon()).block(PATIENCE);
		assertThat(this.server.planned).contains("7 " + key(2), "7 null");
	}

	@Test
	void aRefusalBecauseOfTheLayoutReachesTheSender() {
		PeerReplica peer = connected(8, 8);
		Failure refusal = new Failure(Failure.Reason.STALE_LAYOUT, "version 9 is adopted");
		this.server.refusal = refusal;
		assertThat(peer.planned(7).apply(key(1), live(10), soon()).block(PATIENCE))
			.isEqualTo(new WriteReply.Failed(refusal));
		assertThat(peer.read(key(1), soon()).block(PATIENCE)).isEqualTo(new ReadReply.Failed(refusal));
		assertThat(peer.comparison().complete(new Round(1, 2), soon()).block(PATIENCE))
			.isEqualTo(new ComparisonReply.Failed<>(refusal));
		assertThat(this.client.differing).containsExactly("server", "server", "server");
		peer.ask(GET, LIMIT, this.answers::add);
		Awaitility.await().atMost(PATIENCE).until(() -> this.server.asked.contains(GET));
	}

	@Test
	void aNodeThatIsNoMemberIsShownTheLayoutsThatItLacks() {
		Decisions later = Decisions.of(new Decision(9, Decree.copyOf(new byte[Decisions.MESSAGE_BYTES])));
		this.server.later = later;
		this.client.own = new LayoutReport(8, 2);
		refused();
		Awaitility.await().atMost(PATIENCE).until(() -> this.client.excluded.contains("server " + later));
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
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> program.refusals
				.contains("server: the history of the layout differs; the peer's log says more"));
		assertThat(this.client.excluded).isEmpty();
	}

	/* It may know more of the cluster than this node. */
	@Test
	void theLayoutOfANodeThatIsRefusedIsNoted() {
		this.client.own = new LayoutReport(11, 2);
		refused();
		Awaitility.await().atMost(PATIENCE).until(() -> this.server.strangers.contains("stranger 11"));
	}

	@Test
	void aStrangerThatTakesNoPartIsShownNoLayout() {
		this.server.later = Decisions.of(new Decision(9, Decree.copyOf(new byte[1])));
		Finalized program = refused();
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> program.refusals
				.contains("server: the id of the node that connects differs; the peer's log says more"));
		assertThat(this.client.excluded).isEmpty();
		assertThat(this.server.strangers).isEmpty();
	}

	@Test
	void aReplyToAHandshakeIsNoLargerThanTheLayouts(CapturedOutput output) {
		this.server.later = Decisions.of(new Decision(9, Decree.copyOf(new byte[Wire.HANDSHAKE_REPLY_BYTES])));
		this.client.own = new LayoutReport(8, 2);
		refused();
		Awaitility.await()
			.atMost(PATIENCE)
			.untilAsserted(() -> assertThat(output)
				.contains("to a request for at most %d".formatted(Wire.HANDSHAKE_REPLY_BYTES)));
		assertThat(this.client.excluded).isEmpty();
	}

	/* It would take the first layout for the last one, and itself for a member. */
	@Test
	void aMemberThatHasLeftAndKnowsNoLayoutIsShownTheLastOnes() {
		Decisions last = Decisions.of(new Decision(9, Decree.copyOf(new byte[1])));
		this.server.first = last;
		refused();
		Awaitility.await().atMost(PATIENCE).until(() -> this.client.excluded.contains("server " + last));
	}

	@Test
	void aMemberOfTheProgramBeforeIsShownNoLayout() {
		this.server.first = Decisions.of(new Decision(9, Decree.copyOf(new byte[1])));
		Finalized program = refused(7, FormatLevel.CONTENT_TYPES);
		Awaitility.await().atMost(PATIENCE).until(() -> !program.refusals.isEmpty());
		assertThat(this.client.excluded).as("it would not understand").isEmpty();
	}

	private PeerReplica stranger() {
		return Objects.requireNonNull(this.stranger);
	}

	private static void awaitMore(List<String> refusals, int than) {
		Awaitility.await().atMost(PATIENCE).until(() -> refusals.size() > than);
	}

	@Test
	void aNodeThatIsNoMemberIsRefusedOnceAndWaits() {
		this.client.isMember = false;
		List<String> refusals = refused().refusals;
		awaitMore(refusals, InternodeFixture.CONNECTIONS - 1);
		Awaitility.await()
			.during(Duration.ofSeconds(1))
			.atMost(PATIENCE)
			.untilAsserted(
					() -> assertThat(refusals).as("one of each connection").hasSize(InternodeFixture.CONNECTIONS));
		stranger().connect();
		awaitMore(refusals, InternodeFixture.CONNECTIONS);
	}

	@Test
	void aMemberThatIsRefusedTriesAgain() {
		awaitMore(refused().refusals, 3 * InternodeFixture.CONNECTIONS);
	}

	private Finalized refused() {
		return refused(8, FormatLevel.LAYOUTS);
	}

	private Finalized refused(int newestOfClient, int level) {
		Finalized program = new Finalized(new Program("9.9", level, level));
		this.nodes.serverPrograms = program;
		this.nodes.clientPrograms = program;
		this.nodes.serverLayouts = this.server;
		this.nodes.clientLayouts = this.client;
		LocalNode stranger = new LocalNode("stranger", CLIENT.cluster(), CLIENT.epoch(), CLIENT.storageId());
		this.stranger = this.nodes.peer(stranger, "server", "127.0.0.1", this.nodes.serve(with(8)).port(),
				with(newestOfClient), new PeerListener() {
				});
		return program;
	}

	@Test
	void connectionsOfAPeerThatHasLeftAreClosed() {
		Set<String> others = new CopyOnWriteArraySet<>(Set.of("server", "client"));
		this.nodes.others = () -> others;
		Finalized program = new Finalized(Program.OLDER);
		this.nodes.clientPrograms = program;
		Internode node = this.nodes.internode(PROPERTIES);
		InternodeServer server = this.nodes.serve(node);
		PeerReplica peer = this.nodes.connected(SERVER, "client", server.port());
		node.forget("server", Duration.ofMillis(1));
		assertThat(peer.read(key(1), soon()).block(PATIENCE)).as("it is a peer again")
			.isEqualTo(new ReadReply.Absent());
		others.remove("server");
		node.forget("server", Duration.ofMillis(1));
		Awaitility.await().atMost(PATIENCE).until(() -> peer.state() == MemberState.DISCONNECTED);
		Awaitility.await().atMost(PATIENCE).until(() -> !program.refusals.isEmpty());
		assertThat(reason(peer.read(key(1), soon()).block(PATIENCE))).isEqualTo(Failure.Reason.DISCONNECTED);
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
