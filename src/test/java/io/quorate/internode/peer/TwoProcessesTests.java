package io.quorate.internode.peer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Condition;
import io.quorate.entry.Key;
import io.quorate.internode.IdleExchanges;
import io.quorate.internode.ProgramExchange;
import io.quorate.internode.context.PeerListener;
import io.quorate.internode.server.EmbeddedPort;
import io.quorate.internode.wire.LocalNode;
import io.quorate.membership.exchange.LayoutExchange;
import io.quorate.membership.layout.GrownCluster;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.MemberState;
import io.quorate.membership.members.Membership;
import io.quorate.membership.reports.MemberProcesses.ProcessName;
import io.quorate.membership.reports.MemberProcesses;
import io.quorate.membership.reports.MemberReports;
import io.quorate.membership.reports.Program;
import io.quorate.membership.reports.Upgrade;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Handover;
import io.quorate.replica.HandoverReply;
import io.quorate.replica.LookReply;
import io.quorate.replica.PrepareReply;
import io.quorate.replica.Proposal;
import io.quorate.replica.ReadReply;
import io.quorate.replica.WriteReply;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.ring.RingPair;
import io.quorate.storage.FormatLevel;
import io.quorate.storage.RecordedIdentity;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static io.quorate.internode.wiring.InternodeFixture.CONNECTIONS;
import static io.quorate.internode.wiring.InternodeFixture.PATIENT;
import static io.quorate.internode.wiring.InternodeFixture.SERVER;
import static io.quorate.internode.wiring.InternodeFixture.live;
import static io.quorate.internode.wiring.InternodeFixture.reason;
import static io.quorate.internode.wiring.InternodeFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/** Two processes that both say that they are one member, each with its own directory. */
class TwoProcessesTests {

	private static final LocalNode FIRST = new LocalNode("client", "test", 42, new UUID(3, 4),
			new ProcessName(1, "first:7100"));

	private static final LocalNode SECOND = new LocalNode("client", "test", 42, new UUID(9, 9),
			new ProcessName(2, "second:7100"));

	private static final LocalNode COPY = new LocalNode("client", "test", 42, FIRST.storageId(),
			new ProcessName(3, "copy:7100"));

	private static final Ring RING = Ring.of(Stream.of("client", "other", "server").map(Member::of).toList(), 3);

	private static final Duration WHILE = Duration.ofSeconds(3);

	private static final Key KEY = Key.of("key");

	private final DrivenNodes nodes = new DrivenNodes();

	private final List<String> told = new ArrayList<>();

	private final List<String> refused = new ArrayList<>();

	@AfterEach
	void close() {
		this.nodes.close();
	}

	private static LayoutExchange with(MemberProcesses processes) {
		LayoutExchange exchange = mock(LayoutExchange.class, delegatesTo(IdleExchanges.LAYOUTS));
		given(exchange.processes()).willReturn(processes);
		return exchange;
	}

	/* The layouts of a node, by which another one has a directory. */
	private static MemberReports naming(Layouts layouts, LocalNode named) {
		RecordedIdentity own = new RecordedIdentity(new UUID(0, 0), FormatLevel.NEWEST);
		Membership membership = new Membership(layouts);
		MemberReports reports = new MemberReports(layouts, membership, new Upgrade(layouts, membership, own,
				new Program("2", FormatLevel.NEWEST, FormatLevel.NEWEST), Runnable::run), own);
		name(layouts, named);
		return reports;
	}

	private static void name(Layouts layouts, LocalNode named) {
		GrownCluster.adopt(layouts, new Layout(layouts.current().version() + 1, List.of(), RingPair.of(RING), Set.of(),
				Map.of(named.id(), named.storageId())));
	}

	private static Layouts layouts(String self) {
		return new Layouts(self, new Layout(Layout.FIRST, List.of(), RING));
	}

	private static ProgramExchange finalized() {
		ProgramExchange programs = mock(ProgramExchange.class, delegatesTo(IdleExchanges.PROGRAMS));
		given(programs.own()).willReturn(new Program("2", FormatLevel.NEWEST, FormatLevel.NEWEST));
		return programs;
	}

	private EmbeddedPort serveNaming(LocalNode named) {
		this.nodes.serverLayouts = with(naming(layouts("server"), named).processes());
		return this.nodes.serve(PATIENT);
	}

	private PeerReplica connect(LocalNode self) {
		this.nodes.clientLayouts = with(new MemberProcesses() {

			@Override
			public Presence enter(MemberProcess its, Runnable dismissal) {
				return MemberProcesses.UNJUDGED.enter(its, dismissal);
			}

			@Override
			public void refusedBy(String peer, @Nullable String addresses) {
				if (addresses != null) {
					TwoProcessesTests.this.refused.add(self.process().address() + " by " + peer + ": " + addresses);
				}
			}

			@Override
			public void toldOf(String addresses) {
				TwoProcessesTests.this.told.add(self.process().address() + ": " + addresses);
			}

		});
		PeerReplica peer = this.nodes.peer(self, PATIENT, new PeerListener() {
		});
		this.nodes.settle();
		return peer;
	}

	@Test
	void theSecondProcessIsRefusedAndTheFirstIsTold() {
		EmbeddedPort port = serveNaming(FIRST);
		this.nodes.clientPrograms = finalized();
		PeerReplica first = connect(FIRST);
		assertThat(first.isReady()).isTrue();
		int attempts = this.nodes.network().attempts();
		PeerReplica second = connect(SECOND);
		this.nodes.pass(WHILE);
		assertThat(second.state()).isEqualTo(MemberState.DISCONNECTED);
		assertThat(first.isReady()).isTrue();
		assertThat(port.connections()).isEqualTo(CONNECTIONS);
		assertThat(attempts).as("the first one connected once").isEqualTo(CONNECTIONS);
		assertThat(this.refused).last().isEqualTo("second:7100 by server: first:7100 and second:7100");
		assertThat(this.told).isNotEmpty().last().isEqualTo("first:7100: first:7100 and second:7100");
		assertThat(reason(this.nodes.outcome(second.apply(KEY, live(1), soon())))).isEqualTo(Reason.DISCONNECTED);
		assertThat(this.nodes.replica.calls()).isZero();
		first.close();
		second.close();
	}

	@Test
	void theProcessThatIsNamedTakesThePlaceOfTheOther() {
		EmbeddedPort port = serveNaming(FIRST);
		PeerReplica second = connect(SECOND);
		assertThat(second.isReady()).as("the first one may be lost").isTrue();
		PeerReplica first = connect(FIRST);
		this.nodes.pass(WHILE);
		assertThat(first.isReady()).isTrue();
		assertThat(second.state()).isEqualTo(MemberState.DISCONNECTED);
		assertThat(port.connections()).isEqualTo(CONNECTIONS);
		second.close();
		first.close();
	}

	@Test
	void aNodeRefusesACopyOfTheProcessUntilTheFirstHasEnded() {
		EmbeddedPort port = serveNaming(FIRST);
		this.nodes.clientPrograms = finalized();
		PeerReplica first = connect(FIRST);
		PeerReplica copy = connect(COPY);
		this.nodes.pass(WHILE);
		assertThat(copy.state()).isEqualTo(MemberState.DISCONNECTED);
		assertThat(first.isReady()).isTrue();
		assertThat(port.connections()).isEqualTo(CONNECTIONS);
		assertThat(this.refused).last().isEqualTo("copy:7100 by server: first:7100 and copy:7100");
		first.close();
		this.nodes.pass(WHILE);
		assertThat(copy.isReady()).as("as after a restart").isTrue();
		copy.close();
	}

	private PrepareReply prepared(PeerReplica server) {
		Timestamp ballot = Timestamp.ofMillis(5);
		return this.nodes.outcome(server.prepare(KEY, new Proposal(ballot, ballot, Condition.NONE, 0), soon()));
	}

	private LookReply looked(PeerReplica server) {
		return this.nodes.outcome(server.look(KEY, 1000, soon()));
	}

	private HandoverReply handedOver(PeerReplica server) {
		this.nodes.replica.sayToHandovers(new HandoverReply.Contended(1));
		return this.nodes.outcome(server.handOver(KEY, new Handover(Condition.NONE, 2, 0, live(1)), soon()));
	}

	/* The process answers as one that serves: it may not know yet that it is replaced. */
	@Test
	void acksAndAnswersCountOnlyOfTheDirectoryThatIsNamed() {
		this.nodes.serve(PATIENT);
		Layouts layouts = layouts("client");
		LocalNode lost = new LocalNode("server", "test", 42, new UUID(8, 8));
		this.nodes.clientLayouts = with(naming(layouts, lost).processes());
		PeerReplica server = this.nodes.peer(FIRST, PATIENT, new PeerListener() {
		});
		this.nodes.settle();
		assertThat(reason(this.nodes.outcome(server.apply(KEY, live(1), soon())))).isEqualTo(Reason.FAILED);
		assertThat(reason(this.nodes.outcome(server.read(KEY, 1000, soon())))).isEqualTo(Reason.FAILED);
		assertThat(prepared(server)).isInstanceOf(PrepareReply.Failed.class);
		assertThat(looked(server).held()).isInstanceOf(ReadReply.Failed.class);
		assertThat(handedOver(server)).isInstanceOf(HandoverReply.Failed.class);
		name(layouts, SERVER);
		assertThat(prepared(server)).isNotInstanceOf(PrepareReply.Failed.class);
		assertThat(looked(server).held()).isNotInstanceOf(ReadReply.Failed.class);
		assertThat(handedOver(server)).isNotInstanceOf(HandoverReply.Failed.class);
		assertThat(this.nodes.outcome(server.apply(KEY, live(1), soon()))).isEqualTo(WriteReply.Applied.COMPLETE);
		assertThat(this.nodes.outcome(server.read(KEY, 1000, soon()))).isInstanceOf(ReadReply.class)
			.isNotInstanceOf(ReadReply.Failed.class);
		server.close();
	}

}
